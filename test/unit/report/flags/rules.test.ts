import { describe, expect, it } from '@jest/globals';
import { contaminated } from '../../../../src/report/flags/contaminated.js';
import { drift, driftMetrics } from '../../../../src/report/flags/drift.js';
import { findFlags } from '../../../../src/report/flags/find-flags.js';
import type { FlaggedBlock, FlagRule } from '../../../../src/report/flags/flag-types.js';
import { keysDiffer } from '../../../../src/report/flags/keys-differ.js';
import { modelDiffers } from '../../../../src/report/flags/model-differs.js';
import { multiplicity } from '../../../../src/report/flags/multiplicity.js';
import { neverInterleaved } from '../../../../src/report/flags/never-interleaved.js';
import { noTimeOverlap } from '../../../../src/report/flags/no-time-overlap.js';
import { overlappingTrials } from '../../../../src/report/flags/overlapping-trials.js';
import { toolchainDiffers } from '../../../../src/report/flags/toolchain-differs.js';
import { underpowered } from '../../../../src/report/flags/underpowered.js';
import { voidImbalance } from '../../../../src/report/flags/void-imbalance.js';
import { weakPass } from '../../../../src/report/flags/weak-pass.js';
import { arm, at, block, comparison, subject, trial } from './support/subjects.js';

interface RuleCase {
  readonly name: string;
  readonly blocks: readonly FlaggedBlock[];
  readonly messages: readonly string[];
}

function table(rule: FlagRule, code: string, cases: readonly RuleCase[]): void {
  describe(code, () => {
    it.each(cases)('$name', ({ blocks, messages }) => {
      const flags = rule(subject(...blocks));
      expect(flags.map(({ message }) => message)).toEqual(messages);
      for (const flag of flags) expect(flag).toMatchObject({ code, agent: 'claude' });
    });
  });
}

/** Trials that start in these minutes and take half of one. */
const minutes = (...starts: readonly number[]) =>
  starts.map((minute) => trial({ startedAtMs: at(minute), endedAtMs: at(minute + 0.5) }));

table(neverInterleaved, 'never-interleaved', [
  {
    name: 'speaks up when one condition is done before the other begins',
    blocks: [block(arm('base', minutes(1, 2, 3)), arm('treat', minutes(4, 5)))],
    messages: ['the conditions never take turns: 3 base trials, then 2 treat trials'],
  },
  {
    name: 'says nothing when they take turns once',
    blocks: [block(arm('base', minutes(1, 2, 5)), arm('treat', minutes(4, 6)))],
    messages: [],
  },
  {
    name: 'says nothing of arms with one trial, or whose times are not known',
    blocks: [
      block(arm('base', minutes(1, 2)), arm('treat', minutes(4))),
      block(arm('base', [trial(), trial()]), arm('treat', [trial(), trial()])),
    ],
    messages: [],
  },
]);

table(noTimeOverlap, 'no-time-overlap', [
  {
    name: 'names the two that follow each other, also where a third takes turns',
    blocks: [block(arm('a', minutes(1, 4)), arm('b', minutes(5, 9)), arm('c', minutes(2, 6)))],
    messages: [
      'the last a trial started at 2030-01-01T00:04:00Z, the first b trial at 2030-01-01T00:05:00Z',
    ],
  },
  {
    name: 'says nothing where the ranges touch, or of one trial',
    blocks: [
      block(arm('a', minutes(1, 5)), arm('b', minutes(5, 9))),
      block(arm('a', minutes(1, 5)), arm('b', minutes(8))),
    ],
    messages: [],
  },
]);

describe('overlapping-trials', () => {
  const long = trial({ startedAtMs: at(1), endedAtMs: at(10), folder: 'long' });

  it('finds every trial that ran beside another, also of another task', () => {
    const other = block(arm('base', minutes(3)));
    const flags = overlappingTrials(
      subject(block(arm('base', [long, ...minutes(2, 12)])), { ...other, task: 'beta' }),
    );
    expect(flags).toEqual([
      {
        code: 'overlapping-trials',
        message: '2 trials ran at the same time as another: long',
        agent: 'claude',
        task: 'alpha',
      },
      {
        code: 'overlapping-trials',
        message: '1 trial ran at the same time as another: alpha/claude/base/1',
        agent: 'claude',
        task: 'beta',
      },
    ]);
  });

  it('says nothing of trials that follow each other within the second', () => {
    const next = trial({ startedAtMs: at(10) - 999, endedAtMs: at(11) });
    expect(overlappingTrials(subject(block(arm('base', [long, next]))))).toEqual([]);
  });

  it('says nothing where an end is not known', () => {
    const open = trial({ startedAtMs: at(1) });
    expect(overlappingTrials(subject(block(arm('base', [open, ...minutes(1)]))))).toEqual([]);
  });
});

const tokens = (...values: readonly number[]) =>
  values.map((value, index) =>
    trial({ startedAtMs: at(index), values: { total_input_tokens: value } }),
  );

table(drift, 'drift', [
  {
    name: 'finds a value that only rises, and one that only falls',
    blocks: [block(arm('base', tokens(1, 2, 3, 4, 9)), arm('treat', tokens(9, 8, 4, 2, 1)))],
    messages: [
      'total_input_tokens rises with the time in base (Kendall tau 1.00, n 5, p 0.017)',
      'total_input_tokens falls with the time in treat (Kendall tau -1.00, n 5, p 0.017)',
    ],
  },
  {
    name: 'says nothing of four trials, of one value, or of values that go up and down',
    blocks: [
      block(arm('a', tokens(1, 2, 3, 4)), arm('b', tokens(5, 5, 5, 5, 5))),
      block(arm('a', tokens(3, 1, 5, 2, 4, 3))),
    ],
    messages: [],
  },
]);

describe('drift metrics', () => {
  it.each([
    { primary: [], watched: ['total_input_tokens', 'wall_seconds'] },
    { primary: ['score'], watched: ['score'] },
  ])('with $primary declared are $watched', ({ primary, watched }) => {
    expect(driftMetrics(primary)).toEqual(watched);
  });
});

table(toolchainDiffers, 'toolchain-differs', [
  {
    name: 'lists what differs, what is missing in one included',
    blocks: [
      block(
        arm('base', [trial({ versions: { 'toolchain.node': '20', runtime: 'docker' } })]),
        arm('treat', [
          trial({ versions: { 'toolchain.node': '22', runtime: 'docker', image_id: 'x' } }),
        ]),
      ),
    ],
    messages: ['image_id is not recorded or x; toolchain.node is 20 or 22'],
  },
  {
    name: 'says nothing where all are the same, or other tasks have others',
    blocks: [
      block(arm('base', [trial({ versions: { a: '1' } }), trial({ versions: { a: '1' } })])),
      block(arm('base', [trial({ versions: { a: '2' } })])),
    ],
    messages: [],
  },
]);

table(modelDiffers, 'model-differs', [
  {
    name: 'finds several that were asked for, and one that was not',
    blocks: [
      block(
        arm('base', [trial({ modelRequested: 'x', modelReported: 'x-20300101' })]),
        arm('treat', [trial({ modelRequested: 'y', modelReported: 'z' })]),
      ),
    ],
    messages: [
      'models requested: x, y',
      'models reported: x-20300101, z',
      '1 trial got z instead of y',
    ],
  },
  {
    name: 'says nothing of the dated name of the same model, or where none is recorded',
    blocks: [
      block(arm('a', [trial({ modelRequested: 'x', modelReported: 'x-20300101' }), trial()])),
    ],
    messages: [],
  },
]);

table(weakPass, 'weak-pass', [
  {
    name: 'counts the passes that a fact speaks against, and names one',
    blocks: [
      block(
        arm('base', [
          trial({ weaknesses: ['restored is false'], folder: 'first' }),
          trial({ weaknesses: ['restored is false', 'no target file was changed'] }),
          trial({ weaknesses: ['restored is false'], passed: false }),
        ]),
      ),
    ],
    messages: [
      '2 trials passed although restored is false: first',
      '1 trial passed although no target file was changed: alpha/claude/base/1',
    ],
  },
]);

table(voidImbalance, 'void-imbalance', [
  {
    name: 'finds more than chance gives',
    blocks: [block(arm('a', [], { n: 20, void: 0 }), arm('b', [], { n: 20, void: 10 }))],
    messages: ['void attempts: 0 of 20 in a, 10 of 30 in b (Fisher p 0.0034)'],
  },
  {
    name: 'names a large difference of small arms',
    blocks: [block(arm('a', [], { n: 5, void: 0 }), arm('b', [], { n: 5, void: 3 }))],
    messages: ['void attempts: 0 of 5 in a, 3 of 8 in b (Fisher p 0.23)'],
  },
  {
    name: 'says nothing of one void attempt, the same in both arms, or an arm never tried',
    blocks: [
      block(arm('a', [], { n: 3, void: 0 }), arm('b', [], { n: 3, void: 1 })),
      block(arm('a', [], { n: 3, void: 4 }), arm('b', [], { n: 3, void: 4 })),
      block(arm('a', [], { n: 0, void: 0 }), arm('b', [], { n: 3, void: 4 })),
    ],
    messages: [],
  },
]);

table(underpowered, 'underpowered', [
  {
    name: 'says what is missing for an answer',
    blocks: [
      block(arm('a', [], { passed: 3 }), arm('b', [], { passed: 3 })),
      block(arm('a', [], { passed: 0 }), arm('b', [], { passed: 9 })),
    ],
    messages: [
      '3 passed in a, 3 in b: the smallest p is 0.10, so that no result can reach alpha 0.05',
      '0 passed in a, 9 in b: nothing to compare',
    ],
  },
  {
    name: 'says nothing of four against four',
    blocks: [block(arm('a', [], { passed: 4 }), arm('b', [], { passed: 4 }))],
    messages: [],
  },
]);

table(multiplicity, 'multiplicity', [
  {
    name: 'finds what is significant alone only',
    blocks: [{ ...block(), comparisons: [comparison({ p: 0.03, holmP: 0.12 })] }],
    messages: [
      'search_calls, treat against base: p 0.030 is 0.12 when adjusted for all comparisons of the family (Holm)',
    ],
  },
  {
    name: 'says nothing of what holds, never did, or is outside of the family',
    blocks: [
      {
        ...block(),
        comparisons: [
          comparison({ p: 0.001, holmP: 0.05 }),
          comparison({ p: 0.06, holmP: 0.3 }),
          comparison({ p: 0.01, holmP: null }),
          comparison({ p: null, holmP: null }),
        ],
      },
    ],
    messages: [],
  },
]);

table(contaminated, 'contaminated', [
  {
    name: 'names each leak once, with a trial that has it',
    blocks: [block(arm('a', [trial({ leaks: ['x'], folder: 'f' }), trial({ leaks: ['x', 'y'] })]))],
    messages: ['2 trials: x: f', '1 trial: y: alpha/claude/base/1'],
  },
]);

table(keysDiffer, 'keys-differ', [
  {
    name: 'finds keys that some trials of a cell have, in either file, and prompts that differ',
    blocks: [
      block(
        arm('a', [
          trial({ metaKeys: ['task', 'map_file'], metricsKeys: ['x'], promptSha256: 'p' }),
          trial({ metaKeys: ['task'], metricsKeys: ['x', 'y'], promptSha256: 'q' }),
        ]),
      ),
    ],
    messages: [
      'meta.json of a: not all of 2 trials have map_file (1)',
      'metrics.json of a: not all of 2 trials have y (1)',
      'a: 2 different prompts',
    ],
  },
  {
    name: 'says nothing where cells differ, a file is missing, or a key only tells what happened',
    blocks: [
      block(
        arm('a', [
          trial({ metaKeys: ['task'] }),
          trial({ metaKeys: ['task', 'loud', 'oom_killed'] }),
          trial({ metaKeys: null }),
        ]),
        arm('b', [trial({ metaKeys: ['task', 'map_file'], promptSha256: 'q' })]),
      ),
    ],
    messages: [],
  },
]);

describe('findFlags', () => {
  it('asks every rule, and says nothing of a sound block', () => {
    const turns = (from: number) => minutes(from, from + 2, from + 4, from + 6);
    const sound = block(
      arm('base', turns(0), { passed: 4 }),
      arm('treat', turns(1), { passed: 4 }),
    );
    expect(findFlags(subject(sound))).toEqual([]);
    const leaky = arm('base', [trial({ leaks: ['x'], weaknesses: ['y'] })]);
    const codes = findFlags(subject(block(leaky, arm('treat', [])))).map(({ code }) => code);
    expect(codes).toEqual(['contaminated', 'weak-pass', 'underpowered']);
  });
});
