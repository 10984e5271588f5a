import { describe, expect, it } from '@jest/globals';
import { agentsMissing } from '../../../../src/preflight/checks/images.js';
import { CHECKED_FILE, subjectOf } from '../../../fixtures/check-subject.js';
import { edited } from '../../../fixtures/experiment-text.js';

const FILE = edited('  nop:\n', '  nop:\n  claude:\n', CHECKED_FILE);
const labels = (agents: object) => ({ 'dev.llmx.agents': JSON.stringify(agents) });

describe('a base image', () => {
  it.each([
    ['its pin', "pins: {claude: '2.1.332'}\n", labels({ claude: '2.1.332' }), null],
    ['no pin', '', labels({ claude: '9.9.9' }), null],
    [
      'another pin',
      "pins: {claude: '2.1.332'}\n",
      labels({ claude: '9.9.9' }),
      /but 9.9.9 is installed/,
    ],
    ['no claude', '', labels({ codex: '0.171.0' }), /claude is not in it/],
    ['no list', "pins: {claude: '2.1.332'}\n", {}, null],
  ])('with %s is %j', (_case, pins, image, problem) => {
    const found = agentsMissing(subjectOf('/nowhere', `${pins}${FILE}`), image);
    if (problem === null) expect(found).toBeNull();
    else expect(found).toMatch(problem);
  });

  it('needs no CLI that this grid does not start', () => {
    const only = subjectOf('/nowhere', FILE, { agents: ['nop'] });
    expect(agentsMissing(only, labels({}))).toBeNull();
  });
});
