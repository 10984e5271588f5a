import { describe, expect, it } from '@jest/globals';
import { readdir, readFile, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { trialFacts } from '../../../src/report/flags/trial-facts.js';
import { formatMetric, formatShare } from '../../../src/report/metrics.js';
import { reportMarkdown } from '../../../src/report/markdown.js';
import type { JudgedAttempt } from '../../../src/report/read-attempt.js';
import type { ReportModel } from '../../../src/report/report-types.js';
import { Tally } from '../../../src/report/tally.js';
import { reportText } from '../../../src/report/terminal.js';
import { renderTextTable } from '../../../src/report/text-table.js';
import { reportFile, writeReport } from '../../../src/report/write-report.js';
import { temporaryFolder } from '../../fixtures/results-folder.js';

function trial(condition: string, passed: boolean, tokens: number): JudgedAttempt {
  const arm = { agent: 'mine', task: 'total', condition };
  return {
    kind: 'trial',
    arm,
    passed,
    metrics: [
      ['total_input_tokens', tokens],
      ['own_score', 0.25],
    ],
    facts: trialFacts(null, {}),
  };
}

function sample(): ReportModel {
  const tally = new Tally();
  tally.add(trial('plain', true, 1200), 'total/mine/plain/1');
  tally.add(trial('plain', true, 1321), 'total/mine/plain/2');
  tally.add(trial('plain', false, 9), 'total/mine/plain/3');
  tally.add(trial('hinted', false, 7), 'total/mine/hinted/1');
  const arm = { agent: 'mine', task: 'total', condition: 'hinted' };
  tally.add({ kind: 'excluded', reason: 'void', detail: 'quota', arm }, 'total/mine/hinted/2');
  return { experiment: 'shop', planned: 6, missing: 2, ...tally.report(['plain', 'hinted']) };
}

describe('reportText', () => {
  it('prints counts, rates, medians with n, and what does not count', () => {
    expect(`\n${reportText(sample())}\n`).toMatchInlineSnapshot(`
     "
     shop: 4 trials, 2 passed; 1 void attempt; 0 ungraded; 2 of 6 planned results missing

     Pass rates (all trials; 95% Wilson interval)
     agent  task   condition  passed   rate        interval  void  ungraded
     mine   total  plain         2/3  66.7%  20.8% to 93.9%     0         0
     mine   total  hinted        0/1     0%     0% to 79.3%     1         0

     Medians (passed trials only; n in brackets)
     agent  task   metric                  plain  hinted
     mine   total  total_input_tokens  1,261 (2)       -

     What weakens these results
     flag          agent  task   what was found
     underpowered  mine   total  2 passed in plain, 0 in hinted: nothing to compare

     Attempts that are no trial
     count  reason       for example
         1  void: quota  total/mine/hinted/2
     "
    `);
  });

  it('adds the declared primary metrics to the medians', () => {
    expect(reportText(sample())).not.toContain('own_score');
    expect(reportText(sample(), { primary: ['own_score'] })).toMatch(/own_score +0\.25 \(2\)/);
  });

  it('keeps every line within the width of the terminal', () => {
    const lines = reportText(sample(), { width: 70 }).split('\n');
    expect(Math.max(...lines.slice(2).map((line) => line.length))).toBeLessThanOrEqual(70);
  });
});

describe('reportMarkdown', () => {
  it('has a heading, a sentence and the same tables', () => {
    expect(`\n${reportMarkdown(sample())}`).toMatchInlineSnapshot(`
     "
     # shop

     4 trials, 2 passed; 1 void attempt; 0 ungraded; 2 of 6 planned results missing.

     ## Pass rates (all trials; 95% Wilson interval)

     | agent | task | condition | passed | rate | interval | void | ungraded |
     | --- | --- | --- | ---: | ---: | ---: | ---: | ---: |
     | mine | total | plain | 2/3 | 66.7% | 20.8% to 93.9% | 0 | 0 |
     | mine | total | hinted | 0/1 | 0% | 0% to 79.3% | 1 | 0 |

     ## Medians (passed trials only; n in brackets)

     | agent | task | metric | plain | hinted |
     | --- | --- | --- | ---: | ---: |
     | mine | total | total\\_input\\_tokens | 1,261 (2) | - |

     ## What weakens these results

     | flag | agent | task | what was found |
     | --- | --- | --- | --- |
     | underpowered | mine | total | 2 passed in plain, 0 in hinted: nothing to compare |

     ## Attempts that are no trial

     | count | reason | for example |
     | ---: | --- | --- |
     | 1 | void: quota | total/mine/hinted/2 |
     "
    `);
  });

  it('lets no name of a foreign tree become markup or break a row', () => {
    const tally = new Tally();
    const arm = { agent: '<b>|x', task: 'a\nb', condition: '[l](http://e)' };
    tally.add({ kind: 'trial', arm, passed: true, metrics: [], facts: trialFacts(null, {}) }, 'f');
    const text = reportMarkdown({
      experiment: '# `h`',
      planned: null,
      missing: null,
      ...tally.report([]),
    });
    expect(text).toContain('# \\# \\`h\\`');
    expect(text).toContain('| \\<b\\>\\|x | a\uFFFDb | \\[l\\](http://e) |');
  });
});

describe('renderTextTable', () => {
  const columns = [
    { header: 'name', align: 'left' },
    { header: 'n', align: 'right' },
  ] as const;

  it('aligns by what is seen: wide letters, marks, no control characters', () => {
    const rows = [
      ['矩陣', '1'],
      ['e\u0301te\u0301', '10'],
      ['a\u001b[2J', '100'],
    ];
    expect(renderTextTable({ title: 'T', columns, rows }).split('\n')).toEqual([
      'T',
      'name     n',
      '矩陣     1',
      'e\u0301te\u0301     10',
      'a\uFFFD[2J  100',
    ]);
  });

  it('cuts the widest text column and never a number', () => {
    const rows = [['a-very-long-name-of-a-task', '1234567']];
    const [, header, row] = renderTextTable({ title: 'T', columns, rows }, 20).split('\n');
    expect(header).toBe('name               n');
    expect(row).toBe('a-very-lon…  1234567');
  });
});

describe('formats', () => {
  it.each([
    ['total_input_tokens', 1260.5, '1,261'],
    ['search_calls', 2.5, '2.5'],
    ['wall_seconds', 12.25, '12.3'],
    ['wall_seconds', 3, '3'],
    ['total_cost_usd', 0.01234, '0.0123'],
  ])('writes %s %d as %s', (metric, value, text) => {
    expect(formatMetric(metric, value)).toBe(text);
  });

  it.each([
    [null, '-'],
    [0, '0%'],
    [1, '100%'],
    [0.75, '75%'],
    [2 / 3, '66.7%'],
    [0.9999, '>99.9%'],
    [0.0001, '<0.1%'],
  ])('writes the share %s as %s', (share, text) => {
    expect(formatShare(share)).toBe(text);
  });
});

describe('writeReport', () => {
  it('writes both files whole and leaves nothing else behind', async () => {
    const dir = await temporaryFolder();
    try {
      const model = sample();
      const files = await writeReport(dir, model);
      await writeReport(dir, model);
      expect(files).toEqual({ markdown: 'report/report.md', json: 'report/report.json' });
      expect((await readdir(join(dir, 'report'))).sort()).toEqual(['report.json', 'report.md']);
      const json: unknown = JSON.parse(await readFile(join(dir, files.json), 'utf8'));
      expect(json).toEqual({ schemaVersion: 1, kind: 'report', ...model });
      expect(await readFile(reportFile(dir), 'utf8')).toBe(reportMarkdown(model));
      expect((await stat(join(dir, files.json))).isFile()).toBe(true);
    } finally {
      await rm(dir, { recursive: true, force: true });
    }
  });
});
