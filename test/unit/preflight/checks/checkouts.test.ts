import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { checkoutChecks } from '../../../../src/preflight/checks/checkouts.js';
import { CHECKED_FILE, subjectOf } from '../../../fixtures/check-subject.js';
import { git, makeCheckout } from '../../../fixtures/git-checkout.js';
import { edited } from '../../../fixtures/experiment-text.js';
import { temporaryFolder } from '../../../fixtures/results-folder.js';

let dir = '';

beforeEach(async () => {
  dir = await temporaryFolder();
  await mkdir(join(dir, 'app'));
  makeCheckout(join(dir, 'app'), ['bench/base', 'bench/x', 'bench/y-rounding']);
});

afterEach(async () => {
  await rm(dir, { recursive: true, force: true });
});

describe('the check of a checkout', () => {
  it('is ok when it has the branches of the tasks', async () => {
    expect(await checkoutChecks(subjectOf(dir))).toEqual([
      {
        code: 'checkout-shop',
        name: 'checkout shop',
        status: 'ok',
        detail: '2 task branch(es) found',
        hint: null,
      },
    ]);
  });

  it('fails when nothing says where it is', async () => {
    expect(await checkoutChecks({ ...subjectOf(dir), checkouts: {} })).toMatchObject([
      {
        status: 'fail',
        detail: 'app shop: LLMX_APP_SHOP is not set',
        hint: 'export LLMX_APP_SHOP=/path/to/the/checkout',
      },
    ]);
  });

  it('fails for a missing branch and for two that fit, without saying where the checkout is', async () => {
    git(join(dir, 'app'), 'branch', 'bench/y-other', 'bench/base');
    git(join(dir, 'app'), 'branch', '-D', 'bench/x');
    const [check] = await checkoutChecks(subjectOf(dir));
    expect(check).toMatchObject({ status: 'fail' });
    expect(check?.detail).toMatch(/^app shop: no branch bench\/x in the checkout/);
    const [other] = await checkoutChecks(subjectOf(dir, CHECKED_FILE, { task: 'y' }));
    expect(other?.detail).toBe(
      'app shop: task y could be any of the branches bench/y-other, bench/y-rounding',
    );
    expect(`${check?.detail} ${other?.detail}`).not.toContain(dir);
  });

  it('looks only at the apps and tasks this grid would run', async () => {
    git(join(dir, 'app'), 'branch', '-D', 'bench/x');
    expect(await checkoutChecks(subjectOf(dir, CHECKED_FILE, { task: 'y' }))).toMatchObject([
      { status: 'ok', detail: '1 task branch(es) found' },
    ]);
    const unused = edited(
      'apps:\n',
      `apps:\n  idle: {toolchain: node, branch_prefix: bench, test_command: 'true'}\n`,
      CHECKED_FILE,
    );
    const subject = subjectOf(dir, unused, { task: 'y' });
    expect((await checkoutChecks(subject)).map(({ code }) => code)).toEqual(['checkout-shop']);
    expect(await checkoutChecks({ ...subject, cells: [] })).toEqual([]);
  });
});
