import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { copyTemplate } from '../../src/apps/template/copy-template.js';
import { PROGRAM_FILES } from '../../src/domain/trial/program-contract.js';
import { addScript, FIX, TrialLab } from '../fixtures/trial/trial-lab.js';
import { until } from './support/trial-harness.js';

const FIX_IT = `cat > src/add.sh <<'EOF'\n${addScript(FIX)}EOF\n`;

let lab: TrialLab;
beforeAll(async () => {
  lab = await TrialLab.make();
});
afterAll(() => {
  lab.remove();
});

describe('a program that is run in parts', () => {
  it('goes on from the result the part before it wrote', async () => {
    const first = await lab.trial({
      run: FIX_IT,
      phases: ['isolate', 'prepare', 'before', 'agent', 'collect'],
    });
    expect(first.result).toMatchObject({ grade: null, changes: { changedFiles: ['src/add.sh'] } });
    const second = await lab.runProgram({ ...first.spec, phases: ['grade'] }, first.spec.outDir);
    expect(second.result).toMatchObject({
      agent: { exit: 0 },
      after: { exit: 0 },
      grade: 'passed',
    });
  });

  it('waits for a line before a phase, and then goes on from what another program found', async () => {
    const first = await lab.trial({
      run: FIX_IT,
      phases: ['isolate', 'prepare', 'before', 'agent', 'collect'],
    });
    const root = join(lab.root, 'graded-apart');
    const outDir = join(root, 'out');
    const gradeDir = join(root, 'grade');
    mkdirSync(outDir, { recursive: true });
    await copyTemplate(lab.template.dir, gradeDir);
    const spec = { ...first.spec, outDir, gradeDir, checkoutDir: gradeDir };
    const specFile = join(root, 'spec.json');
    const parts = { phases: ['isolate', 'grade'], continues: true, waitsBefore: 'grade' };
    writeFileSync(specFile, JSON.stringify({ ...spec, ...parts, endWithStdin: true }));
    const program = spawn(process.execPath, [lab.program, specFile], {
      stdio: ['pipe', 'ignore', 'inherit'],
    });
    const read = (name: 'progress' | 'result'): Record<string, unknown> =>
      JSON.parse(readFileSync(join(outDir, PROGRAM_FILES[name]), 'utf8')) as never;
    await until('the program to wait', () => {
      const file = join(outDir, PROGRAM_FILES.progress);
      return existsSync(file) && read('progress')['waits'] === true;
    });
    expect(read('progress')).toMatchObject({ phase: 'grade', waits: true });
    expect(existsSync(join(outDir, PROGRAM_FILES.result))).toBe(false);
    writeFileSync(join(outDir, PROGRAM_FILES.diff), first.out('diff'));
    writeFileSync(join(outDir, PROGRAM_FILES.earlier), first.out('result'));
    program.stdin.write('\n');
    expect(await once(program, 'close')).toEqual([0, null]);
    expect(read('result')).toMatchObject({
      agent: { exit: 0 },
      changes: { changedFiles: ['src/add.sh'] },
      isolation: expect.anything(),
      grade: 'passed',
    });
  });

  it('names the phase it is in', async () => {
    const seen = join(lab.root, 'seen.json');
    const { spec } = await lab.trial({ run: `cat ../out/program-progress.json > ${seen}` });
    expect(JSON.parse(readFileSync(seen, 'utf8'))).toEqual({
      phase: 'agent',
      waits: false,
      startedAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT.*Z$/),
    });
    expect(existsSync(join(spec.outDir, 'program-progress.json'))).toBe(true);
  });
});
