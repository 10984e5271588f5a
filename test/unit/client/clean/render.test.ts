import { describe, expect, it } from '@jest/globals';
import {
  countsText,
  engineLines,
  targetLines,
  targetsJson,
} from '../../../../src/client/clean/render.js';
import type { Target } from '../../../../src/client/clean/target.js';

function target(changes: Partial<Target> = {}): Target {
  return {
    kind: 'images',
    what: 'image',
    name: 'llmx-base:latest',
    engine: 'podman',
    sizeBytes: 145_000_000,
    note: 'base of every app',
    kept: null,
    remove: () => Promise.resolve(null),
    ...changes,
  };
}

const sandbox = target({
  kind: 'leftovers',
  what: 'sandbox',
  name: 'trials/1',
  engine: null,
  sizeBytes: 2_500_000_000,
});

describe('the report', () => {
  it('names the command that removes a kind, then each with place, size and use', () => {
    const kept = target({ name: 'x', sizeBytes: null, kept: 'a running grid or trial uses it' });
    expect(targetLines('images', [target(), kept])).toEqual([
      'images: 2 (up to 0.14 GB, they share layers)  llmx-client clean --images',
      '  llmx-base:latest  podman    0.14 GB  base of every app',
      '  x                 podman             base of every app; stays: a running grid or trial uses it',
    ]);
    expect(targetLines('leftovers', [sandbox])[0]).toBe(
      'leftovers: 1 (2.50 GB)  llmx-client clean --leftovers',
    );
  });

  it('says of a kind that there is none', () => {
    expect(targetLines('builder', [])).toEqual(['build cache: none']);
  });

  it('counts what is to be removed', () => {
    expect(countsText([target(), target(), sandbox])).toBe('2 images, 1 sandbox (up to 2.79 GB)');
    expect(countsText([sandbox, sandbox])).toBe('2 sandboxes (5.00 GB)');
    const processes = { ...sandbox, what: 'processes', sizeBytes: null };
    expect(countsText([processes, processes])).toBe('2 processes');
  });

  it('names engines that could not be asked', () => {
    const lines = engineLines([
      { engine: 'podman', state: 'answers', reason: null, hint: null },
      { engine: 'docker', state: 'does not answer', reason: 'no daemon', hint: 'docker info' },
      { engine: 'apple', state: 'not installed', reason: null, hint: 'install it' },
    ]);
    expect(lines).toEqual([
      'docker does not answer: no daemon; next: docker info',
      'not installed here: apple',
    ]);
  });

  it('says in JSON which were removed', () => {
    const items = targetsJson([target(), sandbox], ({ what }) => what === 'sandbox');
    expect(items).toEqual([
      expect.objectContaining({ name: 'llmx-base:latest', removed: false }),
      expect.objectContaining({ name: 'trials/1', removed: true }),
    ]);
    expect(items[0]).not.toHaveProperty('remove');
  });
});
