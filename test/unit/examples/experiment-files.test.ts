import { describe, expect, it } from '@jest/globals';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parseExperiment } from '../../../src/domain/experiment/parse-experiment.js';

const root = join(import.meta.dirname, '..', '..', '..');

describe('experiment files that a newcomer meets', () => {
  it.each(['quickstart', 'command-agent', 'postgres'])(
    'examples/%s has no fault',
    async (example) => {
      const text = await readFile(join(root, 'examples', example, 'experiment.yml'), 'utf8');
      expect(parseExperiment(text, { env: {} })).toMatchObject({ ok: true });
    },
  );

  it.each(['README.md', 'docs/experiment-file.md'])('the one in %s has no fault', async (page) => {
    const text = await readFile(join(root, page), 'utf8');
    const [, block = ''] = /```yaml\n([\s\S]*?)```/.exec(text) ?? [];
    expect(parseExperiment(block, { env: {} })).toMatchObject({ ok: true });
  });

  it('quickstart has a prompt for each task and condition', async () => {
    const dir = join(root, 'examples', 'quickstart');
    const parsed = parseExperiment(await readFile(join(dir, 'experiment.yml'), 'utf8'), {
      env: {},
    });
    const { tasks, conditions } = parsed.ok ? parsed.experiment : { tasks: [], conditions: [] };
    const prompts = tasks.flatMap(({ app, id }) =>
      conditions.map((condition) => join(dir, 'prompts', app, id, `${condition}.txt`)),
    );
    expect(prompts).toHaveLength(4);
    for (const prompt of prompts) expect(await readFile(prompt, 'utf8')).toMatch(/\S/);
  });
});
