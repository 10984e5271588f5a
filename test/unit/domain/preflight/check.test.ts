import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import {
  approvalBasis,
  verdictOf,
  type Check,
  type CheckStatus,
} from '../../../../src/domain/preflight/check.js';

const check = (code: string, status: CheckStatus): Check => ({
  code,
  name: `the ${code}`,
  status,
  detail: 'seen',
  hint: null,
});

const checks = (...statuses: readonly CheckStatus[]) =>
  statuses.map((status, index) => check(`c${index}`, status));

describe('the verdict', () => {
  it.each([
    [['ok'], 'GREEN'],
    [['ok', 'ok'], 'GREEN'],
    [['ok', 'warn'], 'YELLOW'],
    [['warn', 'warn'], 'YELLOW'],
    [['fail'], 'RED'],
    [['warn', 'fail', 'ok'], 'RED'],
    [[], 'RED'],
  ] as const)('of %j is %s', (statuses, verdict) => {
    expect(verdictOf(checks(...statuses))).toBe(verdict);
  });
});

describe('what an approval is bound to', () => {
  const status = fc.constantFrom<CheckStatus>('ok', 'warn', 'fail');
  const list = fc.uniqueArray(fc.tuple(fc.stringMatching(/^[a-z0-9-]{1,8}$/), status), {
    selector: ([code]) => code,
  });

  it('does not depend on the order of the checks', () => {
    fc.assert(
      fc.property(list, (pairs) => {
        const made = pairs.map(([code, each]) => check(code, each));
        expect(approvalBasis('hash', [...made].reverse())).toBe(approvalBasis('hash', made));
      }),
    );
  });

  it('does not depend on details, names or hints', () => {
    const seen = check('disk', 'warn');
    const later = { ...seen, name: 'disk', detail: '3.1 GB free', hint: 'free some space' };
    expect(approvalBasis('hash', [later])).toBe(approvalBasis('hash', [seen]));
  });

  it('changes with the plan, with any outcome and with any check more or less', () => {
    const bases = [
      approvalBasis('hash', checks('ok', 'warn')),
      approvalBasis('other', checks('ok', 'warn')),
      approvalBasis('hash', checks('warn', 'ok')),
      approvalBasis('hash', checks('ok', 'ok')),
      approvalBasis('hash', checks('ok')),
      approvalBasis('hash', checks('ok', 'warn', 'ok')),
      approvalBasis('hash', []),
    ];
    expect(new Set(bases).size).toBe(bases.length);
  });
});
