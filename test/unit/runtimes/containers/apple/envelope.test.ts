import { describe, expect, it } from '@jest/globals';
import { LlmxError } from '../../../../../src/errors/llmx-error.js';
import {
  envelopeFlags,
  megabytes,
  meets,
  wantedEnvelope,
} from '../../../../../src/runtimes/containers/apple/envelope.js';
import {
  has,
  isAtLeast,
  missingProtections,
  parseVersion,
  tooOld,
} from '../../../../../src/runtimes/containers/apple/version.js';

describe('a size of memory', () => {
  it.each([
    ['8G', 8192],
    ['8g', 8192],
    ['8GB', 8192],
    ['8 GiB', 8192],
    ['8192 MB', 8192],
    ['8192MB', 8192],
    ['8192M', 8192],
    ['8192', 8192],
    ['2048 MB', 2048],
    ['1T', 1_048_576],
    ['4096K', 4],
    ['512 kb', 0],
    [' 6g ', 6144],
    ['', 0],
    ['lots', 0],
    ['1.5G', 0],
    ['8X', 0],
    ['-1G', 0],
  ])('is read as megabytes: %j', (text, mb) => {
    expect(megabytes(text)).toBe(mb);
  });
});

describe('the envelope of the builder', () => {
  it('is 6 CPUs and 8 GB unless the environment says otherwise', () => {
    expect(wantedEnvelope({})).toEqual({ cpus: 6, memoryMb: 8192 });
    const env = { LLMX_BUILDER_CPUS: '4', LLMX_BUILDER_MEMORY: '6144 MB' };
    expect(wantedEnvelope(env)).toEqual({ cpus: 4, memoryMb: 6144 });
  });

  it.each([
    ['LLMX_BUILDER_CPUS', '0'],
    ['LLMX_BUILDER_CPUS', '1.5'],
    ['LLMX_BUILDER_MEMORY', 'lots'],
    ['LLMX_BUILDER_MEMORY', ''],
  ])('is refused when it is none: %s=%s', (name, value) => {
    const envelope = () => wantedEnvelope({ [name]: value });
    expect(envelope).toThrow(LlmxError);
    expect(envelope).toThrow(`${name} is "${value}"`);
  });

  it.each([
    [6, 8192, true],
    [8, 16384, true],
    [6, 2048, false],
    [2, 8192, false],
    [6, 8191, false],
  ])('is met by %i CPUs and %i MB: %s', (cpus, memoryMb, met) => {
    expect(meets({ cpus, memoryMb }, { cpus: 6, memoryMb: 8192 })).toBe(met);
  });

  it('is written as the CLI takes it', () => {
    const flags = ['--cpus', '6', '--memory', '8192M'];
    expect(envelopeFlags({ cpus: 6, memoryMb: 8192 })).toEqual(flags);
  });
});

describe('a version', () => {
  it.each([
    ['container CLI version 1.2.2 (build: release, commit: 0190097)', [1, 2, 2]],
    ['container CLI version 0.12.3 (build: release, commit: unspeci)', [0, 12, 3]],
    ['Warning! Running debug build.\ncontainer CLI version 0.1.0 (build: debug)', [0, 1, 0]],
    ['container 3.1', null],
    ['', null],
  ])('is read from %j', (output, version) => {
    expect(parseVersion(output)).toEqual(version);
  });

  it('is compared by number, not by letter', () => {
    expect(isAtLeast([0, 12, 0], [0, 9, 0])).toBe(true);
    expect(isAtLeast([0, 9, 9], [0, 12, 0])).toBe(false);
    expect(isAtLeast([1, 0, 0], [0, 12, 3])).toBe(true);
    expect(isAtLeast([1, 2, 2], [1, 2, 2])).toBe(true);
  });

  it('decides what a trial is held to', () => {
    expect(missingProtections([0, 6, 0])).toHaveLength(3);
    expect(missingProtections([0, 9, 0])).toEqual(['dropped capabilities']);
    expect(missingProtections([0, 12, 0])).toEqual([]);
    expect(has([0, 9, 0], 'statusAsJson')).toBe(false);
  });

  it('is too old before a container could be cut off from the network', () => {
    expect(tooOld([0, 6, 0])).toBeNull();
    expect(tooOld([0, 5, 0])?.detail).toMatch(/0\.5\.0 can't cut a trial off .* 0\.6\.0 or newer/);
  });
});
