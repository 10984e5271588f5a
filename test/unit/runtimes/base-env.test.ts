import { describe, expect, it } from '@jest/globals';
import { baseEnv } from '../../../src/runtimes/base-env.js';

describe('what a trial sees of the host’s environment', () => {
  it('is a short list of names', () => {
    const env = { PATH: '/bin', LANG: 'C', LC_ALL: 'C', TERM: 'dumb', HOME: '/h', TMPDIR: '/t' };
    const kept = baseEnv({
      ...env,
      ANTHROPIC_API_KEY: 'k',
      NODE_OPTIONS: '--x',
      LC_EVIL: undefined,
    });
    expect(kept).toEqual({ PATH: '/bin', LANG: 'C', LC_ALL: 'C', TERM: 'dumb' });
  });
});
