import { describe, expect, it } from '@jest/globals';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { NO_FILTERS } from '../../../src/domain/plan/cell.js';
import { planFacts } from '../../../src/storage/plan-facts.js';
import { requiredCells } from '../../../src/storage/plan-status.js';
import { experimentOf } from '../../fixtures/plan-experiment.js';
import { temporaryFolder } from '../../fixtures/results-folder.js';

describe('planFacts', () => {
  it('names the experiment file and the prompts and solutions of the planned tasks', async () => {
    const dir = await temporaryFolder();
    try {
      await mkdir(join(dir, 'prompts/app/x'), { recursive: true });
      await writeFile(join(dir, 'prompts/app/x/a.txt'), 'fix it');
      const base = experimentOf({ tasks: ['x', 'y'], conditions: ['a', 'b'] });
      const tasks = base.tasks.map((task) => ({ ...task, solution: `solutions/${task.id}.patch` }));
      const experiment = { ...base, tasks };
      const cells = requiredCells(experiment, { ...NO_FILTERS, task: 'x' });
      const source = { dir, text: 'name: shape', experiment };

      const facts = await planFacts(source, cells);
      expect(Object.keys(facts).sort()).toEqual([
        'experiment.yml',
        'prompts/app/x/a.txt',
        'prompts/app/x/b.txt',
        'solutions/x.patch',
      ]);
      expect(facts['prompts/app/x/b.txt']).toBe('missing');

      await writeFile(join(dir, 'prompts/app/x/a.txt'), 'fix it well');
      const changed = await planFacts({ ...source, text: 'name: other' }, cells);
      expect(changed['prompts/app/x/a.txt']).not.toBe(facts['prompts/app/x/a.txt']);
      expect(changed['experiment.yml']).not.toBe(facts['experiment.yml']);
    } finally {
      await rm(dir, { recursive: true, force: true });
    }
  });
});
