import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { ASKED_AT, ModelScan, SERVED_AT } from '../../../src/network/model-scan.js';

function asked(json: string): string | null {
  const scan = new ModelScan(ASKED_AT);
  scan.push(Buffer.from(json));
  return scan.model;
}

function served(body: string, isEvents = false): string | null {
  const scan = new ModelScan(SERVED_AT, isEvents);
  for (const byte of Buffer.from(body)) scan.push(Buffer.from([byte]));
  return scan.model;
}

describe('the model that a request asks for', () => {
  it.each([
    ['first', '{"model":"m-1","messages":[]}', 'm-1'],
    [
      'last, after text that names others',
      '{"a":[{"model":"x"}],"b":"\\"model\\":\\"y\\"","model":"z"}',
      'z',
    ],
    ['with spaces and escapes', '{ "model" : "a\\/b \\u00e9" }', 'a/b é'],
    ['only deeper', '{"tools":{"model":"x"},"input":[{"model":"y"}]}', null],
    ['no string', '{"model":{"type":"string"},"n":1}', null],
    ['a value called model', '{"type":"model","x":"y"}', null],
    ['in a list', '[{"model":"x"}]', null],
    ['cut off', '{"model":"m-', null],
    ['no JSON', 'model=x&"model":"y"', null],
    ['empty', '{"model":""}', null],
    ['too long for a name', `{"model":"${'x'.repeat(300)}"}`, null],
  ])('%s', (_what, json, model) => {
    expect(asked(json)).toBe(model);
  });

  it('is what JSON.parse finds, for any object with one', () => {
    fc.assert(
      fc.property(
        fc.dictionary(
          fc.string({ maxLength: 8 }).filter((key) => key !== 'model'),
          fc.jsonValue(),
        ),
        fc.string({ minLength: 1, maxLength: 40 }),
        fc.dictionary(
          fc.string({ maxLength: 8 }).filter((key) => key !== 'model'),
          fc.jsonValue(),
        ),
        (before, model, after) => {
          const json = JSON.stringify({ b: before, ...before, model, ...after, a: after });
          expect(asked(json)).toBe(model);
        },
      ),
    );
  });
});

describe('the model that answers', () => {
  it.each([
    ['a whole answer', '{"id":"x","model":"m","choices":[]}', false, 'm'],
    ['a pretty one', '{\n  "response": {},\n  "modelVersion": "g-2"\n}', false, 'g-2'],
    ['messages', 'event: message_start\ndata: {"message":{"model":"c-4"}}\n\n', true, 'c-4'],
    ['responses', 'data: {"response":{"instructions":"a {\\" [","model":"g-5"}}\n', true, 'g-5'],
    [
      'completions',
      ': ping\n\ndata: {"x":[{"model":"n"}],"model":"c"}\r\n\r\ndata: [DONE]',
      true,
      'c',
    ],
    ['after a broken event', 'data: {"message":{"mod\n\ndata: {"model":"ok"}\n', true, 'ok'],
  ] as const)('%s', (_what, body, isEvents, model) => {
    expect(served(body, isEvents)).toBe(model);
  });

  it('is given up after a few megabytes', () => {
    const scan = new ModelScan(ASKED_AT);
    scan.push(Buffer.from('{"a":"'));
    for (let mb = 0; mb < 5; mb += 1) scan.push(Buffer.alloc(1024 * 1024, 'x'));
    scan.push(Buffer.from('","model":"late"}'));
    expect([scan.isOver, scan.model]).toEqual([true, null]);
  });
});
