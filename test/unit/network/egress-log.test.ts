import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { EgressLog } from '../../../src/network/egress-log.js';

let dir = '';
let file = '';

beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'llmx-egress-'));
  file = join(dir, 'egress.jsonl');
});

afterEach(() => {
  rmSync(dir, { recursive: true, force: true });
});

const lines = () =>
  readFileSync(file, 'utf8')
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line));
const target = { host: 'api.example', port: 443 };

describe('the egress log', () => {
  it('has one line for a connection, for its owner alone', () => {
    const log = new EgressLog(file);
    const entry = log.begin('CONNECT', target);
    entry.measure(() => ({ up: 3, down: 5 }));
    expect(lines()).toEqual([]);
    entry.end({ allowed: true });
    entry.end({ allowed: false, error: 'a second end' });
    expect(log.close()).toEqual({ connections: 1, refused: 0, unlogged: 0 });
    expect(lines()).toEqual([
      {
        at: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/),
        method: 'CONNECT',
        host: 'api.example',
        port: 443,
        allowed: true,
        bytesUp: 3,
        bytesDown: 5,
        ms: expect.any(Number),
      },
    ]);
    expect(statSync(file).mode & 0o777).toBe(0o600);
  });

  it('ends what is under way when it is closed', () => {
    const log = new EgressLog(file);
    log.begin('CONNECT', target);
    expect(log.close()).toEqual({ connections: 1, refused: 0, unlogged: 0 });
    expect(lines()).toMatchObject([{ allowed: true, error: 'ended with the agent' }]);
  });

  it('stops at a number of lines, counts on and says how many are missing', () => {
    const log = new EgressLog(file, 3);
    for (let at = 0; at < 10; at += 1) log.begin('GET', null).end({ allowed: at < 2 });
    expect(log.close()).toEqual({ connections: 10, refused: 8, unlogged: 7 });
    expect(lines()).toHaveLength(4);
    expect(lines()[3]).toEqual({ at: expect.any(String), dropped: 7 });
  });

  it('goes on where the disk takes nothing', () => {
    const log = new EgressLog('/dev/full');
    log.begin('CONNECT', target).end({ allowed: true });
    expect(log.close()).toEqual({ connections: 1, refused: 0, unlogged: 1 });
  });
});
