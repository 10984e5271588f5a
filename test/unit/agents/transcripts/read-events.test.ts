import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readCodexTranscript } from '../../../../src/agents/codex/read-codex-transcript.js';
import { readEvents } from '../../../../src/agents/transcript/read-events.js';

let folder = '';
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'llmx-events-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

async function read(content: string | Uint8Array, maxLineBytes?: number) {
  const file = join(folder, 'out.jsonl');
  await writeFile(file, content);
  const events: object[] = [];
  const counts = await readEvents(file, (event) => events.push(event), maxLineBytes);
  return { events, counts };
}

describe('a transcript', () => {
  it.each([
    ['nothing', '', [0, 0, false]],
    ['empty lines', '\n\n  \n\r\n', [0, 0, false]],
    ['a last line without a newline', '{"a":1}\n{"b":2}', [2, 0, false]],
    ['a torn last line', '{"a":1}\n{"b":', [1, 1, true]],
    ['a broken line in the middle', '{"a":1}\nWarning: x\n{"b":2}\n', [2, 1, false]],
    ['values that are no events', '1\n"text"\nnull\n[1]\n{"a":1}\n', [1, 4, false]],
    ['a list of events', '[{"a":1},{"b":2}]\n', [2, 0, false]],
    ['Windows line ends', '{"a":1}\r\n{"b":2}\r\n', [2, 0, false]],
    ['zeros after a power cut', `{"a":1}\n${'\0'.repeat(100)}`, [1, 1, true]],
  ])('with %s is counted', async (_what, content, wanted) => {
    const { counts } = await read(content);
    expect([counts.raw_events, counts.unparsable_lines, counts.torn_last_line]).toEqual(wanted);
  });

  it('keeps what is readable of invalid UTF-8', async () => {
    const bytes = Buffer.concat([
      Buffer.from('{"a":"x'),
      Buffer.from([0xff, 0xc3]),
      Buffer.from('y"}\n'),
    ]);
    const { events, counts } = await read(bytes);
    expect(events).toEqual([{ a: 'x\ufffd\ufffdy' }]);
    expect(counts.unparsable_lines).toBe(0);
  });

  it('loses no line at the seams of its chunks', async () => {
    // Lengths around the size of a chunk, and characters of four bytes across its seams.
    const lengths = [1, 65_535, 262_143, 262_144, 262_145, 3, 600_000, 0, 131_072];
    const lines = lengths.map((length, at) =>
      JSON.stringify({ at, text: '😀'.repeat(length / 4) }),
    );
    const { events } = await read(`${lines.join('\n')}\n`);
    expect(events.map((event) => JSON.stringify(event))).toEqual(lines);
  });

  it('leaves out a line that is too long, and says so', async () => {
    const long = JSON.stringify({ text: 'x'.repeat(700_000) });
    const { events, counts } = await read(`{"a":1}\n${long}\n{"b":2}\n${long}`, 300_000);
    expect(events).toEqual([{ a: 1 }, { b: 2 }]);
    expect(counts).toMatchObject({ oversized_lines: 2, unparsable_lines: 2, raw_events: 2 });
  });

  it('is not followed to another file', async () => {
    const link = join(folder, 'link.jsonl');
    await writeFile(join(folder, 'other.jsonl'), '{"a":1}\n');
    await symlink(join(folder, 'other.jsonl'), link);
    expect(await readEvents(link, () => undefined)).toMatchObject({ raw_events: 0 });
  });

  it('has to be there', async () => {
    await expect(readEvents(join(folder, 'none'), () => undefined)).rejects.toThrow('ENOENT');
  });

  it('may hold events nobody knows', async () => {
    const file = join(folder, 'unknown.jsonl');
    await writeFile(
      file,
      '{"type":"turn.dreamt"}\n{"no":"type"}\n{"type":"item.completed","item":7}\n',
    );
    const { metrics } = await readCodexTranscript(file);
    expect(metrics).toMatchObject({ unknown_events: 2, raw_events: 3, total_tool_calls: 0 });
  });
});
