import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { PlanRef } from '../../../src/domain/grid/contracts.js';
import { freezePlan } from '../../../src/storage/frozen-plan.js';
import { frozenPlanReader } from '../../../src/storage/frozen-plan-reader.js';
import { stateLayout, type StateLayout } from '../../../src/storage/state-layout.js';
import { RAILS_FILE } from '../../fixtures/experiment-text.js';

const experimentKey = 'rails-prompts-00000000';
let root: string;
let state: StateLayout;

beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'llmx-reader-'));
  state = stateLayout(join(root, 'state'));
});

afterEach(async () => {
  await rm(root, { recursive: true, force: true });
});

async function freeze(text: string): Promise<PlanRef> {
  const folder = join(root, 'experiment');
  await mkdir(folder, { recursive: true });
  await writeFile(join(folder, 'experiment.yml'), text);
  const { frozenId } = await freezePlan({ state, key: experimentKey, folder, env: {} });
  return { experimentKey, frozenId };
}

function damage({ frozenId }: PlanRef): Promise<void> {
  return writeFile(join(state.frozenDir(experimentKey, frozenId), 'files', 'experiment.yml'), '');
}

describe('the reader of frozen plans', () => {
  it('checks the files of a plan once, not for every cell of its grid', async () => {
    const openPlan = frozenPlanReader(state);
    const ref = await freeze(RAILS_FILE);
    const first = await openPlan(ref);
    await damage(ref);
    expect(await openPlan(ref)).toBe(first);
  });

  it('checks them again after it has read another plan', async () => {
    const openPlan = frozenPlanReader(state);
    const ref = await freeze(RAILS_FILE);
    await openPlan(ref);
    await damage(ref);
    const other = await freeze(`${RAILS_FILE}\n# changed\n`);
    expect((await openPlan(other)).manifest.frozenId).toBe(other.frozenId);
    await expect(openPlan(ref)).rejects.toMatchObject({ code: 'frozen_plan_damaged' });
  });

  it('does not keep a failure', async () => {
    const openPlan = frozenPlanReader(state);
    const missing = { experimentKey, frozenId: '0'.repeat(32) };
    await expect(openPlan(missing)).rejects.toMatchObject({ code: 'frozen_plan_missing' });
    const ref = await freeze(RAILS_FILE);
    expect((await openPlan(ref)).manifest.frozenId).toBe(ref.frozenId);
  });
});
