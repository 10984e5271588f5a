import { describe, expect, it } from '@jest/globals';
import { leaksOf } from '../../../../src/report/flags/leaks.js';
import { trialFacts } from '../../../../src/report/flags/trial-facts.js';
import { weaknessesOf } from '../../../../src/report/flags/weaknesses.js';

describe('trialFacts', () => {
  it('takes start and end from the records, the end also from the length', () => {
    const meta = { started_at: '2030-01-01T00:00:02Z', wall_seconds: 1.5 };
    const start = Date.UTC(2030, 0, 1, 0, 0, 2);
    expect(trialFacts(meta, {})).toMatchObject({ startedAtMs: start, endedAtMs: start + 1_500 });
    const finished = { ...meta, finished_at: '2030-01-01T00:00:09Z' };
    expect(trialFacts(finished, {}).endedAtMs).toBe(start + 7_000);
    expect(trialFacts({ started_at: 'soon' }, {})).toMatchObject({
      startedAtMs: null,
      endedAtMs: null,
    });
  });

  it('takes models from either record, and versions of all kinds', () => {
    const meta = {
      model_requested: 'x',
      model_reported: null,
      toolchain: { node: '20' },
      pins: { claude: '1.2' },
      image_id: 'sha256:1',
    };
    expect(trialFacts(meta, { model_reported: 'x-1', cli_version: '1.2' })).toMatchObject({
      modelRequested: 'x',
      modelReported: 'x-1',
      versions: {
        'toolchain.node': '20',
        'pins.claude': '1.2',
        image_id: 'sha256:1',
        cli_version: '1.2',
      },
      metaKeys: Object.keys(meta),
      metricsKeys: ['model_reported', 'cli_version'],
    });
  });
});

describe('leaksOf', () => {
  it.each([
    [{ history_visible_to_agent: 'fcc793a Import application source' }, []],
    [{ history_visible_to_agent: 'a First\nb Second\n' }, ['2 commits were visible']],
    [{ branches_visible_to_agent: ['main'] }, []],
    [{ branches_visible_to_agent: ['main', 'fix'] }, ['2 branches were visible']],
    [{ mcp_servers: [] }, []],
    [{ mcp_servers: [{ name: 'db', status: 'connected' }] }, ['connected to db (MCP)']],
    [{ memory_paths: { auto: '/home/agent/.t/m' }, config_dir: '/home/agent/.t' }, []],
    [
      { memory_paths: { auto: '/home/agent/.tx' }, config_dir: '/home/agent/.t' },
      ['memory outside of the trial: /home/agent/.tx'],
    ],
    [{ clean_tree_before: false }, ['the checkout was not clean at the start']],
    [{ unparsable_lines: 0 }, []],
    [{ unparsable_lines: 2 }, ['lines of the transcript are unreadable']],
    [{}, []],
  ])('of %j is %j', (record, leaks) => {
    expect(leaksOf(record)).toEqual(leaks);
  });
});

describe('weaknessesOf', () => {
  it.each([
    [{ acceptance_facts: { restored: true, count: 3, note: 'failed to say' } }, []],
    [{ acceptance_facts: { restored: false } }, ['restored is false']],
    [
      { acceptance_facts: { api: { old: 'FAIL' }, list: [true, false] } },
      ['api.old is FAIL', 'list.1 is false'],
    ],
    [{ test_after_exit: 0 }, []],
    [{ acceptance_exit: 1 }, ['its test ended with 1']],
    [{ touched_target: false }, ['no target file was changed']],
    [{ touched_target: null }, []],
    [{ test_file_edited: true }, ['the test file was edited']],
    [{ edited_test_dir: true }, ['files among the tests were edited']],
    [{ timed_out: true }, ['the agent was stopped at its time limit']],
  ])('of a pass with %j is %j', (record, weaknesses) => {
    expect(weaknessesOf({ passed: true, ...record })).toEqual(weaknesses);
    expect(weaknessesOf({ passed: false, ...record })).toEqual([]);
  });
});
