import { describe, expect, it } from '@jest/globals';
import { CallTally, MAX_LISTED } from '../../../../src/domain/metrics/call-tally.js';
import { editCall, shellCall, toolCall } from '../../../../src/domain/metrics/tool-call.js';

const TARGET = 'app/models/room.rb';
const tally = (checkoutDir: string | null = '/work') =>
  new CallTally({ targets: [TARGET], checkoutDir });
const bash = (command: string) => shellCall('Bash', command);

describe('the way to a target file', () => {
  it('is counted in calls and in searches before it', () => {
    const calls = tally();
    calls.add(bash('ls app'));
    calls.add(bash('grep -rn Room .'));
    calls.add(toolCall('Read', { file_path: '/work/README.md' }));
    calls.add(toolCall('Read', { file_path: `/work/${TARGET}` }));
    calls.add(bash('rg more'));
    calls.add(toolCall('Edit', { file_path: `/work/${TARGET}`, old_string: 'a', new_string: 'b' }));
    expect(calls.figures()).toMatchObject({
      total_tool_calls: 6,
      search_calls: 3,
      tool_calls_to_first_target_read: 3,
      searches_before_first_target: 2,
      zero_search_navigation: false,
      tool_calls_to_first_edit: 5,
      distinct_files_read: 2,
    });
  });

  it('is no search away when the search names the file', () => {
    const calls = tally();
    calls.add(bash(`grep -n has_many ${TARGET}`));
    expect(calls.figures()).toMatchObject({
      tool_calls_to_first_target_read: 0,
      searches_before_first_target: 0,
      zero_search_navigation: true,
    });
  });

  it('is unknown when the agent never got there', () => {
    expect(tally().figures()).toMatchObject({
      total_tool_calls: 0,
      tool_calls_to_first_target_read: null,
      tool_calls_to_first_edit: null,
      searches_before_first_target: null,
      zero_search_navigation: null,
    });
  });

  it.each([
    ['another file with its name at the end', 'cat other/app/models/room.rb'],
    ['the checkout before it', 'cat /work/app/models/room.rb'],
    ['a line behind it', 'sed -n 1p app/models/room.rb:3'],
    ['a full stop behind it', 'echo app/models/room.rb.'],
  ])('ends at %s', (_what, command) => {
    const calls = tally();
    calls.add(bash(command));
    expect(calls.figures().tool_calls_to_first_target_read).toBe(0);
  });

  it.each([
    ['the end of a longer name', 'cat my-app/models/room.rb'],
    ['the start of a longer name', 'cat app/models/room.rbx'],
    ['a file beside it', 'cat app/models/room.rb.bak'],
    ['a dot that is any character', 'cat app/models/roomxrb'],
    ['what the agent wrote', `cat > /tmp/x <<EOF\n${TARGET}\nEOF`],
    ['its base name', 'cat room.rb'],
  ])('does not end at %s', (_what, command) => {
    const calls = tally();
    calls.add(bash(command));
    expect(calls.figures().tool_calls_to_first_target_read).toBeNull();
  });

  it('does not end in the text of an edit', () => {
    const calls = tally();
    calls.add(toolCall('Write', { file_path: '/work/a.md', content: TARGET }));
    expect(calls.figures().tool_calls_to_first_target_read).toBeNull();
  });
});

describe('files that were read', () => {
  it('are the same with and without the checkout, by whatever tool', () => {
    const calls = tally();
    calls.add(bash('cat ./a.rb'));
    calls.add(toolCall('Read', { file_path: '/work/a.rb' }));
    calls.add(toolCall('read', { filePath: '/work//a.rb' }));
    calls.add(editCall('file_change', ['/work/./a.rb', '/work/b.rb']));
    expect(calls.figures().distinct_files_read).toBe(2);
  });

  it('do not count when the call searched', () => {
    const calls = tally();
    calls.add(bash('ls && cat a.rb'));
    expect(calls.figures()).toMatchObject({ distinct_files_read: 0, read_segments: 1 });
  });

  it('are found by where the agent says it works', () => {
    const calls = tally(null);
    calls.startedIn('/home/agent/app/');
    calls.add(toolCall('Read', { file_path: '/home/agent/app/a.rb' }));
    calls.add(bash('cat a.rb'));
    expect(calls.figures().distinct_files_read).toBe(1);
  });
});

describe('tools', () => {
  it.each([
    ['Grep', 'search'],
    ['glob', 'search'],
    ['NotebookRead', 'read'],
    ['MultiEdit', 'edit'],
    ['Bash', 'bash'],
    ['Agent', 'other'],
    ['WebSearch', 'other'],
    ['mcp__files__read', 'other'],
  ])('%s is of class %s', (name, kind) => {
    expect(toolCall(name, { command: 'true' }).class).toBe(kind);
  });

  it('are listed up to a limit and counted beyond', () => {
    const calls = tally();
    for (let at = 0; at < MAX_LISTED + 5; at += 1) calls.add(bash('true'));
    const { tool_call_names: names, total_tool_calls: total } = calls.figures();
    expect([names.length, total]).toEqual([MAX_LISTED, MAX_LISTED + 5]);
  });
});
