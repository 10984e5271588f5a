import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { spawnSync } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import type { ProgramResult } from '../../src/domain/trial/program-contract.js';
import { addScript, FIX, gitOut, TrialLab } from '../fixtures/trial/trial-lab.js';

/** Writes the fix, as an agent would that knew it. */
const FIX_IT = `cat > src/add.sh <<'EOF'\n${addScript(FIX)}EOF\n`;
const GIT = 'git -c user.name=a -c user.email=a@b';

let lab: TrialLab;
beforeAll(async () => {
  lab = await TrialLab.make();
});
afterAll(() => {
  lab.remove();
});

const isAlive = (pid: number): boolean => {
  try {
    return !/^\d+ \(.*\) Z/.test(readFileSync(`/proc/${String(pid)}/stat`, 'utf8'));
  } catch {
    return false;
  }
};

describe('the outcome of a trial', () => {
  it('passes an agent that fixes the bug', async () => {
    const { exit, result } = await lab.trial({ run: FIX_IT });
    expect(exit).toBe(0);
    expect(result).toMatchObject({
      aborted: null,
      abortDetail: null,
      isolation: { branches: ['trial/t1'], commits: 1, clean: true },
      before: { exit: 1, timedOut: false, suiteRan: true },
      agent: { exit: 0, signal: null, timedOut: false },
      changes: {
        changedFiles: ['src/add.sh'],
        untrackedFiles: [],
        touchedImplFile: true,
        editedTestDir: false,
        testFileEdited: false,
      },
      after: { exit: 0, suiteRan: true },
      grade: 'passed',
    });
    expect(result.isolation?.head).toMatch(/^[0-9a-f]{7,} Import application source$/);
  });

  it('fails an agent that does nothing at all, and starts nothing for it', async () => {
    const { result, out } = await lab.trial();
    expect(result).toMatchObject({
      aborted: null,
      agent: { exit: 0, wallSeconds: 0, timedOut: false },
      changes: { changedFiles: [], untrackedFiles: [], touchedImplFile: false },
      after: { exit: 1, suiteRan: true },
      grade: 'failed',
    });
    expect(out('diff')).toHaveLength(0);
  });

  it('fails an agent whose fix is wrong', async () => {
    const { result } = await lab.trial({ run: `echo 'add() { echo 7; }' > src/add.sh` });
    expect(result).toMatchObject({ aborted: null, after: { exit: 1 }, grade: 'failed' });
  });

  it('fails an agent that edited the test, and runs the test as it was', async () => {
    const { result, text } = await lab.trial({
      run: `${FIX_IT} echo 'echo "9 runs, 9 assertions, cheated"' > test/add.test.sh`,
    });
    expect(result).toMatchObject({
      changes: { testFileEdited: true, editedTestDir: true },
      after: { exit: 0 },
      grade: 'failed',
    });
    expect(text('after')).not.toContain('cheated');
  });

  it('fails an agent that turned the test folder into a link to its own tests', async () => {
    const { result } = await lab.trial({
      run: `mkdir mine && echo 'echo "1 runs, 1 assertions"' > mine/add.test.sh && rm -r test && ln -s mine test`,
    });
    expect(result).toMatchObject({ changes: { testFileEdited: true }, grade: 'failed' });
  });

  it('notes a helper that was added to the test folder', async () => {
    const { result } = await lab.trial({ run: `${FIX_IT} echo hi > test/helper.sh` });
    expect(result).toMatchObject({
      changes: { untrackedFiles: ['test/helper.sh'], editedTestDir: true, testFileEdited: false },
      grade: 'passed',
    });
  });

  it('fails an agent whose syntax error keeps the suite from running', async () => {
    const { result, text } = await lab.trial({ run: `echo 'add() { ((' > src/add.sh` });
    expect(result).toMatchObject({ aborted: null, after: { suiteRan: false }, grade: 'failed' });
    expect(text('pristine')).toContain('1 runs, 1 assertions');
  });

  it('fails an agent whose change makes the test run for ever', async () => {
    const { result } = await lab.trial({
      run: `echo 'while :; do sleep 0.1; done' > src/add.sh`,
      testTimeoutMs: 1_500,
    });
    expect(result).toMatchObject({ after: { timedOut: true }, grade: 'failed' });
  });

  it('leaves a trial ungraded when the suite no longer runs on the untouched checkout either', async () => {
    const flag = join(lab.root, 'broken-now');
    const { result } = await lab.trial({
      run: `${FIX_IT} touch ${flag}`,
      testCommand: `test -e ${flag} && { echo no database; exit 1; }; bash`,
    });
    expect(result).toMatchObject({ aborted: null, after: { suiteRan: false }, grade: 'ungraded' });
  });

  it('blames the agent for a db_prepare that fails on its change alone', async () => {
    const { result } = await lab.trial({
      run: `${FIX_IT} rm README.md`,
      dbPrepare: 'test -e README.md',
    });
    expect(result).toMatchObject({ dbPrepareExit: 0, after: null, grade: 'failed' });
  });
});

describe('a trial that can’t start', () => {
  const never = 'touch started-anyway';
  const aborts = async (
    options: Parameters<TrialLab['trial']>[0],
  ): Promise<ProgramResult & { readonly agentStarted: boolean }> => {
    const { exit, result, spec } = await lab.trial({ run: never, ...options });
    expect(exit).toBe(0);
    expect(result.grade).toBeNull();
    expect(result.agent).toBeNull();
    return { ...result, agentStarted: existsSync(join(spec.checkoutDir, 'started-anyway')) };
  };

  it('aborts when the suite did not run', async () => {
    const result = await aborts({ testCommand: 'echo nothing ran; false' });
    expect(result).toMatchObject({ aborted: 'suite_did_not_run', agentStarted: false });
    expect(result.before).toMatchObject({ exit: 1, suiteRan: false });
  });

  it('counts a test that runs out of time as a suite that did not run', async () => {
    const result = await aborts({
      testCommand: 'echo "1 runs, 1 assertions"; sleep 60; true',
      testTimeoutMs: 500,
    });
    expect(result).toMatchObject({ aborted: 'suite_did_not_run', before: { timedOut: true } });
    expect(result.abortDetail).toContain('0.5 s');
  });

  it('aborts when the test passes before the agent ran', async () => {
    const result = await aborts({ testCommand: 'echo "1 runs, 1 assertions"; true' });
    expect(result).toMatchObject({ aborted: 'bug_did_not_reproduce', before: { exit: 0 } });
  });

  it('aborts when db_prepare fails', async () => {
    const result = await aborts({ dbPrepare: 'echo no server >&2; exit 3' });
    expect(result).toMatchObject({
      aborted: 'setup_failed',
      abortDetail: 'db_prepare exited with 3',
      dbPrepareExit: 3,
      before: null,
    });
  });

  it('aborts when there is no such branch', async () => {
    const result = await aborts({ branch: 'trial/nosuch' });
    expect(result).toMatchObject({ aborted: 'isolation_failed' });
    expect(result.abortDetail).toContain('trial/nosuch');
  });

  it('aborts when the checkout is not clean', async () => {
    const result = await aborts({
      tamper: (dir) => {
        writeFileSync(join(dir, 'left.txt'), 'x');
      },
    });
    expect(result).toMatchObject({ aborted: 'isolation_failed', isolation: { clean: false } });
    expect(result.abortDetail).toContain('left.txt');
  });

  it('says so when the pattern can’t be compiled, without a stack trace', async () => {
    const result = await aborts({ suiteRanPattern: '(' });
    expect(result.aborted).toBe('sandbox_failed');
    expect(result.abortDetail).not.toContain('\n');
  });

  it.each([
    ['no spec at all', null],
    ['a spec of another version', '{"schemaVersion":7,"phases":[]}'],
    ['a spec that is no JSON', '{"schemaVersion":'],
  ])('ends with exit 2 and one line for %s', (_name, content) => {
    const file = join(lab.root, 'odd-spec.json');
    if (content !== null) writeFileSync(file, content);
    const run = spawnSync(process.execPath, [lab.program, ...(content === null ? [] : [file])]);
    expect(run.status).toBe(2);
    expect(run.stderr.toString()).toMatch(/^trial program: .+\n$/);
  });
});

describe('what an agent can do to its repository', () => {
  const tricks: readonly (readonly [string, string])[] = [
    ['commits its work', `${GIT} commit -qam done`],
    ['stages its work', 'git add -A'],
    ['deletes .git', 'rm -rf .git'],
    ['starts a new repository', `rm -rf .git && git init -q && git add -A && ${GIT} commit -qm x`],
    ['rewrites history', `${GIT} commit -qam x && ${GIT} commit -q --amend -m y && git gc -q`],
    ['changes the branch', `git checkout -qb other && ${GIT} commit -qam x`],
    ['hides its file from git', 'git update-index --assume-unchanged src/add.sh'],
    [
      'resets the index',
      `${GIT} commit -qam x && git reset -q --soft HEAD~0 && git rm -q --cached -r .`,
    ],
    ['breaks the index', 'echo garbage > .git/index; echo garbage > .git/HEAD'],
    [
      'plants a diff driver',
      `echo '*.sh diff=evil filter=evil' > .gitattributes; git config diff.evil.command 'touch ../evil'; git config filter.evil.clean 'touch ../evil; cat'; git config core.fsmonitor 'touch ../evil'`,
    ],
    ['asks for another encoding', `echo '*.sh working-tree-encoding=UTF-16' > .gitattributes`],
    [
      'plants hooks',
      `mkdir -p .git/hooks; for h in post-checkout pre-commit post-index-change; do printf '#!/bin/sh\\ntouch ${'${PWD}'}/../evil\\n' > .git/hooks/$h; chmod +x .git/hooks/$h; done`,
    ],
  ];
  it.each(tricks)('sees the fix of an agent that %s', async (_name, trick) => {
    const { result, text, spec } = await lab.trial({ run: `${FIX_IT} ${trick}` });
    expect(result).toMatchObject({ aborted: null, agent: { exit: 0 }, grade: 'passed' });
    expect(result.changes?.changedFiles).toEqual(['src/add.sh']);
    expect(text('diff')).toContain(`+${addScript(FIX)}`);
    expect(existsSync(join(spec.checkoutDir, '..', 'evil'))).toBe(false);
  });

  it('sees a change of equal length whose time was set back', async () => {
    const { result } = await lab.trial({
      run: `touch -r src/add.sh ../then; sed -i 's/\\$1 -/$1 +/' src/add.sh; touch -r ../then src/add.sh`,
    });
    expect(result).toMatchObject({ changes: { changedFiles: ['src/add.sh'] }, grade: 'passed' });
  });

  it('sees everything deleted when the agent removed its checkout', async () => {
    const { result } = await lab.trial({ run: 'cd .. && rm -rf checkout' });
    expect(result).toMatchObject({ aborted: null, changes: { testFileEdited: true } });
    expect(result.changes?.changedFiles).toContain('README.md');
    expect(result.grade).toBe('failed');
  });

  it('aborts when the agent reached into the copy for grading', async () => {
    const { result } = await lab.trial({
      run: `git -C ../grade config core.fsmonitor 'touch ../evil'`,
    });
    expect(result).toMatchObject({ aborted: 'sandbox_failed', grade: null });
  });

  it('grades on the original files when the agent changed them in the copy for grading', async () => {
    const { result } = await lab.trial({
      run: `cp ../grade/src/add.sh x; ${FIX_IT} rm x; mv src/add.sh ../grade/src/add.sh; git checkout -q -- src`,
    });
    expect(result).toMatchObject({ changes: { changedFiles: [] }, grade: 'failed' });
  });
});

describe('what an agent can leave behind', () => {
  it('records links, modes, deletions, odd names and binary content, and grades with them', async () => {
    const { result, spec } = await lab.trial({
      run: `${FIX_IT}
        ln -s src/add.sh link; chmod +x README.md; rm .gitignore
        printf 'a' > 'with space'; printf 'b' > $'new\\nline'; printf 'c' > $'\\u00fcml\\u00e4ut'
        printf 'd' > $'bad\\xff\\xfename'; head -c 100000 /dev/urandom > blob.bin; printf 'x\\xff\\xfe\\r\\ny' > latin.txt
        mkdir -p deep/er && echo e > deep/er/file; : > empty`,
    });
    expect(result.changes?.changedFiles.toSorted()).toEqual([
      '.gitignore',
      'README.md',
      'src/add.sh',
    ]);
    expect(result.changes?.untrackedFiles.toSorted()).toEqual([
      '"bad\\377\\376name"',
      'blob.bin',
      'deep/er/file',
      'empty',
      'latin.txt',
      'link',
      'new\nline',
      'with space',
      'ümläut',
    ]);
    expect(result.grade).toBe('passed');
    for (const name of ['blob.bin', 'latin.txt', 'new\nline']) {
      expect(readFileSync(join(spec.gradeDir, name))).toEqual(
        readFileSync(join(spec.checkoutDir, name)),
      );
    }
    expect(gitOut(spec.gradeDir, 'status', '--porcelain', 'README.md')).toContain('README.md');
  });

  it('leaves ignored files out, also when the agent no longer ignores them', async () => {
    const { result } = await lab.trial({
      run: `${FIX_IT} mkdir cache; head -c 5000 /dev/zero > cache/big; echo '# nothing' > .gitignore; echo n > new`,
    });
    expect(result.changes).toMatchObject({
      changedFiles: ['.gitignore', 'src/add.sh'],
      untrackedFiles: ['new'],
    });
  });

  it('takes a repository made inside the checkout by its files', async () => {
    const { result } = await lab.trial({
      run: `${FIX_IT} mkdir sub && cd sub && git init -q && echo s > s.txt && mkdir in && cd in && git init -q && echo t > t.txt && git add . && ${GIT} commit -qm x`,
    });
    expect(result.changes?.untrackedFiles).toEqual(['sub/in/t.txt', 'sub/s.txt']);
    expect(result.grade).toBe('passed');
  });

  it('does not wait for named pipes, whatever their name', async () => {
    const { result, seconds } = await lab.trial({
      run: `${FIX_IT} mkfifo pipe; rm README.md; mkfifo README.md; mkdir d; echo f > d/f; mkfifo d/.gitignore; rm .gitignore; mkfifo .gitignore`,
    });
    expect(result).toMatchObject({ aborted: null, grade: 'passed' });
    expect(result.changes?.changedFiles).toEqual(['.gitignore', 'README.md', 'src/add.sh']);
    expect(seconds).toBeLessThan(20);
  }, 40_000);

  it('carries a file of 50 MB over', async () => {
    const { result, spec } = await lab.trial({
      run: `${FIX_IT} head -c 52428800 /dev/urandom > big.bin`,
    });
    expect(result).toMatchObject({ changes: { untrackedFiles: ['big.bin'] }, grade: 'passed' });
    expect(
      readFileSync(join(spec.gradeDir, 'big.bin')).equals(
        readFileSync(join(spec.checkoutDir, 'big.bin')),
      ),
    ).toBe(true);
    rmSync(spec.checkoutDir, { recursive: true });
    rmSync(spec.gradeDir, { recursive: true });
    rmSync(spec.outDir, { recursive: true });
  }, 60_000);

  it('names a file that is too large to record, and goes on', async () => {
    const { result } = await lab.trial({ run: `${FIX_IT} truncate -s 3G sparse` });
    expect(result).toMatchObject({ changes: { untrackedFiles: ['sparse'] }, grade: 'passed' });
  });

  it('bears files and folders it may not read', async () => {
    const { result } = await lab.trial({
      run: `${FIX_IT} echo s > secret; mkdir shut; echo x > shut/x; chmod 000 secret shut`,
    });
    expect(result).toMatchObject({ aborted: null, grade: 'passed' });
  });

  it('takes a folder that became a file, and a file that became a folder', async () => {
    const { result } = await lab.trial({
      run: `${FIX_IT} rm README.md; mkdir README.md; echo x > README.md/x; rm -r test; echo y > test`,
    });
    expect(result.aborted).toBeNull();
    expect(result.changes?.untrackedFiles).toEqual(['README.md/x', 'test']);
    expect(result.grade).toBe('failed');
  });
});

describe('what an agent can plant for its grading', () => {
  const FORGED = 'echo "1 runs, 1 assertions"; exit 0';

  it.each(['$HOME/.bash_profile', '$HOME/.config/runner', '$TMPDIR/runner'])(
    'does not pass it: %s is not there any more',
    async (file) => {
      const env = {
        PATH: process.env['PATH'] ?? '',
        HOME: join(lab.root, 'agent-home'),
        TMPDIR: join(lab.root, 'agent-tmp'),
      };
      for (const dir of [env.HOME, env.TMPDIR]) mkdirSync(dir, { recursive: true });
      const script = `mkdir -p "$(dirname "${file}")"; echo '${FORGED}' > "${file}"`;
      const { result, text } = await lab.trial({
        env,
        run: { argv: ['bash', '-c', script], env },
        dbPrepare: `echo "prepared in $HOME"; ! test -e "${file}"`,
        testCommand: `if test -e "${file}"; then . "${file}"; fi; bash`,
      });
      expect(result).toMatchObject({ after: { exit: 1, suiteRan: true }, grade: 'failed' });
      const [before, after] = text('prepare').trim().split('\n');
      expect(after).not.toBe(before);
    },
  );

  it('does not pass it: no profile and no BASH_ENV is read', async () => {
    const forged = join(lab.root, 'forged.sh');
    writeFileSync(forged, `${FORGED}\n`);
    process.env['BASH_ENV'] = forged;
    try {
      const { result } = await lab.trial({
        tamper: (dir) => {
          writeFileSync(join(dir, '..', '.bash_profile'), 'PATH=/nowhere\n');
        },
        run: FIX_IT,
      });
      expect(result).toMatchObject({ before: { suiteRan: true }, grade: 'passed' });
    } finally {
      delete process.env['BASH_ENV'];
    }
  });

  it('does not hold the program up with pipes, folders and links in the place of its files', async () => {
    const { result, spec, text } = await lab.trial({
      run: `${FIX_IT} cd ../out; mkfifo agent.diff; mkdir -p program-result.json/full
        ln -s ../stolen test_after.txt; rm program-progress.json; mkfifo program-progress.json`,
    });
    expect(result).toMatchObject({ aborted: null, grade: 'passed' });
    expect(text('after')).toContain('1 runs');
    expect(existsSync(join(spec.outDir, '..', 'stolen'))).toBe(false);
  });

  it('sees nothing of the spec', async () => {
    const { text } = await lab.trial({ run: 'ls ..' });
    expect(text('agentStdout').split('\n')).not.toContain('spec.json');
  });

  it('loses nothing by a checkout that it shut', async () => {
    const { result, spec } = await lab.trial({ run: `${FIX_IT} chmod 000 .` });
    expect(result).toMatchObject({ aborted: null, grade: 'passed' });
    expect(statSync(spec.checkoutDir).mode & 0o700).toBe(0o700);
  });
});

describe('how an agent runs and ends', () => {
  it('gets its environment and nothing else, its prompt on stdin, and the checkout as its folder', async () => {
    const prompt = join(lab.root, 'prompt.txt');
    writeFileSync(prompt, 'fix it\n');
    const { text, spec } = await lab.trial({
      run: { argv: ['/usr/bin/env'], env: { ONLY: 'this' }, stdinFile: prompt },
    });
    expect(text('agentStdout')).toBe('ONLY=this\n');
    const echoed = await lab.trial({
      run: { argv: ['bash', '-c', 'pwd; cat; echo err >&2'], stdinFile: prompt },
    });
    expect(echoed.text('agentStdout')).toBe(`${echoed.spec.checkoutDir}\nfix it\n`);
    expect(echoed.text('agentStderr')).toBe('err\n');
    expect(spec.checkoutDir).not.toBe(echoed.spec.checkoutDir);
  });

  it('is not held up by an agent that never reads a large prompt', async () => {
    const prompt = join(lab.root, 'large.txt');
    writeFileSync(prompt, Buffer.alloc(20 * 1024 * 1024, 'x'));
    const { result } = await lab.trial({
      run: { argv: ['bash', '-c', FIX_IT], stdinFile: prompt },
    });
    expect(result).toMatchObject({ agent: { exit: 0 }, grade: 'passed' });
    expect(result.agent?.wallSeconds).toBeLessThan(5);
  });

  it('bears a lot of output, and output that is no text', async () => {
    const { result, out } = await lab.trial({
      run: `${FIX_IT} head -c 200000000 /dev/zero; printf '\\xff\\xfe' >&2`,
    });
    expect(result).toMatchObject({ agent: { exit: 0 }, grade: 'passed' });
    expect(out('agentStdout')).toHaveLength(200_000_000);
    expect(out('agentStderr')).toEqual(Buffer.of(0xff, 0xfe));
  });

  it('answers 127 for a program that is not there, and says which', async () => {
    const { result, text } = await lab.trial({ run: { argv: ['no-such-agent'] } });
    expect(result.agent).toMatchObject({ exit: 127, signal: null });
    expect(text('agentStderr')).toContain('no-such-agent');
  });

  it('answers 126 for a program that can’t be run', async () => {
    const file = join(lab.root, 'not-executable');
    writeFileSync(file, '#!/bin/sh\n');
    chmodSync(file, 0o644);
    const { result, text } = await lab.trial({ run: { argv: [file] } });
    expect(result.agent).toMatchObject({ exit: 126 });
    expect(text('agentStderr')).toContain('not-executable');
  });

  it.each([
    ['its own exit code', 'exit 3', { exit: 3, signal: null }],
    ['the signal that ended it', 'kill -SEGV $$', { exit: null, signal: 'SIGSEGV' }],
  ])('reports %s', async (_name, run, agent) => {
    const { result } = await lab.trial({ run });
    expect(result).toMatchObject({ aborted: null, agent, grade: 'failed' });
  });

  it('ends an agent that ignores TERM together with its children, and still grades its work', async () => {
    const pids = join(lab.root, 'pids');
    const { result, seconds } = await lab.trial({
      run: `${FIX_IT} trap '' TERM; echo $$ >> ${pids}
        (trap '' TERM; echo $BASHPID >> ${pids}; while :; do sleep 0.05; done) &
        (exec sleep 300) & echo $! >> ${pids}
        while :; do sleep 0.05; done`,
      agentTimeoutMs: 700,
    });
    expect(result).toMatchObject({ agent: { timedOut: true, signal: 'SIGKILL' }, grade: 'passed' });
    expect(result.agent?.wallSeconds).toBeGreaterThanOrEqual(0.95);
    expect(result.agent?.wallSeconds).toBeLessThan(3);
    expect(seconds).toBeLessThan(10);
    const started = readFileSync(pids, 'utf8').trim().split('\n').map(Number);
    expect(started).toHaveLength(3);
    expect(started.filter(isAlive)).toEqual([]);
  });

  it('gives an agent that heeds TERM the time to say so', async () => {
    const { result, text } = await lab.trial({
      run: `trap 'echo bye; exit 9' TERM; while :; do sleep 0.02; done`,
      agentTimeoutMs: 500,
      killGraceMs: 5_000,
    });
    expect(result.agent).toMatchObject({ timedOut: true, exit: 9 });
    expect(text('agentStdout')).toBe('bye\n');
  });

  it('does not wait for children that hold the output open, and ends them', async () => {
    const pid = join(lab.root, 'child-pid');
    const { result } = await lab.trial({ run: `${FIX_IT} sleep 300 & echo $! > ${pid}` });
    expect(result).toMatchObject({ agent: { exit: 0, timedOut: false }, grade: 'passed' });
    expect(result.agent?.wallSeconds).toBeLessThan(3);
    expect(isAlive(Number(readFileSync(pid, 'utf8')))).toBe(false);
  });

  it('does not count what the test before left as the agent’s work', async () => {
    const { result } = await lab.trial({
      testCommand:
        'echo junk > junk.log; mkdir -p cache && echo c > cache/c; echo more >> README.md; bash',
    });
    expect(result).toMatchObject({
      changes: { changedFiles: [], untrackedFiles: [] },
      grade: 'failed',
    });
  });
});
