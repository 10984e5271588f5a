import type { StoredRecord } from './stored-record.js';

/** Why a pass says less than it seems, one phrase each. Only asked of trials that passed. */
export function weaknessesOf(record: StoredRecord): readonly string[] {
  if (record['passed'] !== true) return [];
  const failed = failedFacts(record['acceptance_facts'], '');
  const exit = record['test_after_exit'] ?? record['acceptance_exit'];
  return [
    ...failed,
    ...(typeof exit === 'number' && exit !== 0 ? [`its test ended with ${exit}`] : []),
    ...(record['touched_target'] === false ? ['no target file was changed'] : []),
    ...(record['test_file_edited'] === true ? ['the test file was edited'] : []),
    ...(record['edited_test_dir'] === true ? ['files among the tests were edited'] : []),
    ...(record['timed_out'] === true ? ['the agent was stopped at its time limit'] : []),
  ];
}

/** The facts of the verdict that are false or say that they failed, at any depth. */
function failedFacts(facts: unknown, prefix: string): readonly string[] {
  if (typeof facts !== 'object' || facts === null) return [];
  return Object.entries(facts).flatMap(([name, value]: [string, unknown]) => {
    const path = prefix === '' ? name : `${prefix}.${name}`;
    if (value === false || (typeof value === 'string' && /^(fail(ed)?|error)$/i.test(value))) {
      return [`${path} is ${value}`];
    }
    return failedFacts(value, path);
  });
}
