import { expect } from '@jest/globals';
import { execFileSync, spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, readFile, stat, writeFile } from 'node:fs/promises';
import { cpus } from 'node:os';
import { join } from 'node:path';
import type { RuntimeKind } from '../../../src/domain/experiment/experiment.js';
import { hostGives } from '../support/hostile-lab.js';
import { runsOnHost, until, type RuntimeBench } from './bench.js';

/** One property that every runtime has, unless it is not about that runtime. */
export interface RuntimeCheck {
  readonly name: string;
  /** Why it says nothing about a runtime. */
  readonly notFor?: Partial<Record<RuntimeKind, string>>;
  readonly run: (bench: RuntimeBench) => Promise<void>;
}

const WEAK = { process: 'keeps trials apart, does not lock an agent in' };
const HOST_LIMITS = { process: 'limits of memory and processes are the host’s control groups' };

const MIB = 1024 * 1024;
const given = await hostGives();

export const CHECKS: readonly RuntimeCheck[] = [
  ...[0, 1, 7, 64, 124].map((code) => ({
    name: `passes exit code ${code} through`,
    run: async (bench: RuntimeBench) => {
      const { end } = await bench.sh(`exit ${code}`);
      // The detail comes first: it says why, should an engine have failed.
      expect(end).toMatchObject({ detail: null, exit: code, timedOut: false, oom: false });
    },
  })),
  {
    name: 'says when the command died of a signal',
    run: async (bench) => {
      const { end } = await bench.sh('kill -9 $$');
      expect(end.exit === 137 || end.signal === 'SIGKILL').toBe(true);
      expect(end).toMatchObject({ timedOut: false, oom: false });
    },
  },
  {
    name: 'says when there is no such program',
    run: async (bench) => {
      const { end } = await bench.sh('', { argv: ['no-such-program'] });
      expect(end).toMatchObject({ exit: 127, timedOut: false });
    },
  },
  {
    name: 'says when the program is no program',
    run: async (bench) => {
      const sandbox = await bench.sandbox();
      await writeFile(join(sandbox.host.inputs, 'data'), 'no program', { mode: 0o600 });
      const { end } = await bench.sh('exec "$0/data"', {
        sandbox,
        argv: ['sh', '-c', 'exec "$0/data"', sandbox.inside.inputs],
      });
      expect(end.exit).toBe(126);
    },
  },
  {
    name: 'keeps binary output byte for byte',
    run: async (bench) => {
      const bytes = Buffer.from(Array.from({ length: 256 }, (_, at) => at));
      const sandbox = await bench.sandbox();
      await writeFile(join(sandbox.host.inputs, 'bytes'), Buffer.concat([bytes, bytes]));
      await bench.sh('cat inputs/bytes > out/copy', { sandbox });
      const copy = await readFile(join(sandbox.host.out, 'copy'));
      expect(copy.equals(Buffer.concat([bytes, bytes]))).toBe(true);
    },
  },
  {
    name: 'takes 64 MiB of output in a file',
    run: async (bench) => {
      const { sandbox } = await bench.sh('dd if=/dev/zero of=out/big bs=1048576 count=64');
      expect((await stat(join(sandbox.host.out, 'big'))).size).toBe(64 * MIB);
    },
  },
  {
    name: 'is not held up by output that nobody reads',
    run: async (bench) => {
      const { end } = await bench.sh('head -c 3000000 /dev/zero | tr "\\0" "\\n" >&2; exit 5');
      expect(end.exit).toBe(5);
    },
  },
  {
    name: 'keeps standard input open and empty while the command runs',
    run: async (bench) => {
      const { end } = await bench.sh('( sleep 1; kill $$ ) & cat; exit 9');
      expect(end.exit).not.toBe(9);
    },
  },
  {
    name: 'gives a line on standard input when it is time to go on',
    run: async (bench) => {
      const sandbox = await bench.sandbox();
      let goOn = (): void => undefined;
      const goAhead = new Promise<void>((resolve) => {
        goOn = resolve;
      });
      const script = 'touch out/waits; read -r line; echo "went on" > out/said; exit 4';
      const running = bench.sh(script, { sandbox, goAhead });
      await until(() => existsSync(join(sandbox.host.out, 'waits')));
      expect(existsSync(join(sandbox.host.out, 'said'))).toBe(false);
      goOn();
      expect((await running).end.exit).toBe(4);
      expect(await readFile(join(sandbox.host.out, 'said'), 'utf8')).toBe('went on\n');
    },
  },
  {
    name: 'starts in the folder of the sandbox',
    run: async (bench) => {
      const sandbox = await bench.sandbox();
      expect(await bench.output('pwd', { sandbox })).toBe(`${sandbox.inside.root}\n`);
    },
  },
  {
    name: 'gives a HOME that is private, empty and can be written',
    run: async (bench) => {
      const sandbox = await bench.sandbox();
      const said = await bench.output('cd && pwd && ls -A && touch mine && ls', { sandbox });
      expect(said).toBe(`${sandbox.inside.home}\nmine\n`);
    },
  },
  {
    name: 'gives a TMPDIR that is private and can be written',
    run: async (bench) => {
      const said = await bench.output('cd "$TMPDIR" && touch mine && ls');
      expect(said).toBe('mine\n');
    },
  },
  {
    name: 'does not run as root',
    notFor: { process: 'runs as whoever started llmx' },
    run: async (bench) => {
      expect(Number(await bench.output('id -u'))).toBeGreaterThan(0);
    },
  },
  {
    name: 'leaves files that this user can remove',
    run: async (bench) => {
      const { sandbox } = await bench.sh(
        'mkdir -p home/a/b && touch home/a/b/c && chmod -R a-w home/a',
      );
      await bench.runtime.destroy(sandbox.marker, sandbox.host.root);
      expect(existsSync(sandbox.host.root)).toBe(false);
    },
  },
  {
    name: 'passes environment values with spaces, newlines, quotes, dollars and other letters',
    run: async (bench) => {
      const value = `two  spaces\nand a line, "quotes" 'both' $HOME \`x\` a=b, 漢字 \\`;
      const sandbox = await bench.sandbox();
      const said = await bench.output('printf %s "$ODD"', {
        sandbox,
        env: { ...sandbox.env, ODD: value, EMPTY: '' },
      });
      expect(said).toBe(value);
    },
  },
  {
    name: 'passes an argument as it is',
    run: async (bench) => {
      const odd = `a b\n"c" 'd' $e *`;
      const sandbox = await bench.sandbox();
      await bench.sh('', {
        sandbox,
        argv: ['sh', '-c', 'printf %s "$1" > out/said.txt', 'sh', odd],
      });
      expect(await readFile(join(sandbox.host.out, 'said.txt'), 'utf8')).toBe(odd);
    },
  },
  {
    name: 'shows nothing of this process’s environment',
    run: async (bench) => {
      process.env['LLMX_TEST_SECRET'] = 'sk-secret';
      try {
        expect(await bench.output('env')).not.toContain('sk-secret');
      } finally {
        delete process.env['LLMX_TEST_SECRET'];
      }
    },
  },
  {
    name: 'ends a command at its time limit and says so',
    run: async (bench) => {
      const { end } = await bench.sh('sleep 612', { timeoutMs: 1_500 });
      expect(end.timedOut).toBe(true);
      await until(async () => !(await runsOnHost('sleep 612')));
    },
  },
  {
    name: 'ends one that ignores TERM',
    run: async (bench) => {
      const { end } = await bench.sh("trap '' TERM INT HUP; while :; do sleep 613; done", {
        timeoutMs: 1_500,
      });
      expect(end.timedOut).toBe(true);
      await until(async () => !(await runsOnHost('sleep 613')));
    },
  },
  {
    name: 'ends children that went into sessions of their own at the time limit',
    run: async (bench) => {
      await bench.sh('setsid sleep 614 & setsid sh -c "sleep 614 & sleep 614" & sleep 614', {
        timeoutMs: 1_500,
      });
      await until(async () => !(await runsOnHost('sleep 614')));
    },
  },
  {
    name: 'ends what a command leaves behind when it ends by itself',
    run: async (bench) => {
      const { end } = await bench.sh('setsid sleep 615 >/dev/null 2>&1 & exit 3');
      expect(end).toMatchObject({ exit: 3, leftoversAlive: 0 });
      await until(async () => !(await runsOnHost('sleep 615')));
    },
  },
  {
    name: 'ends a command that is told to end',
    run: async (bench) => {
      const stop = new AbortController();
      const sandbox = await bench.sandbox();
      const running = bench.sh('touch out/started; sleep 616', { sandbox, signal: stop.signal });
      await until(() => existsSync(join(sandbox.host.out, 'started')));
      stop.abort();
      expect((await running).end.timedOut).toBe(false);
      await until(async () => !(await runsOnHost('sleep 616')));
    },
  },
  {
    name: 'ends one that was told before it began',
    run: async (bench) => {
      const { end } = await bench.sh('sleep 617', { signal: AbortSignal.abort() });
      expect(end.exit === 0).toBe(false);
      await until(async () => !(await runsOnHost('sleep 617')));
    },
  },
  {
    name: 'says that the command was killed for lack of memory',
    notFor: given.limits.includes('memory') ? {} : HOST_LIMITS,
    run: async (bench) => {
      const sandbox = await bench.sandbox({ memory: 96 * MIB });
      const hog = 'const all = []; for (;;) all.push(Buffer.alloc(8 * 1024 * 1024, 1));';
      const { end } = await bench.sh('', { sandbox, argv: [sandbox.node, '-e', hog] });
      expect(end).toMatchObject({ oom: true, timedOut: false });
      // What an engine notes down of it must not be left in anybody's folder.
      expect(existsSync('oom')).toBe(false);
    },
  },
  {
    name: 'does not call a kill out of memory that was none',
    run: async (bench) => {
      const { end } = await bench.sh('kill -9 $$');
      expect(end).toMatchObject({ oom: false, agentOom: false, machineOom: false });
    },
  },
  {
    name: 'keeps the memory limit',
    notFor: HOST_LIMITS,
    run: async (bench) => {
      const sandbox = await bench.sandbox({ memory: 256 * MIB });
      const said = await bench.output(
        'cat /sys/fs/cgroup/memory.max /sys/fs/cgroup/memory/memory.limit_in_bytes 2>/dev/null || :',
        { sandbox },
      );
      expect(said).toContain(`${256 * MIB}`);
    },
  },
  {
    name: 'ends a fork bomb at the limit of processes',
    notFor: HOST_LIMITS,
    run: async (bench) => {
      const bomb = 'bomb() { bomb | bomb & }; bomb 2>/dev/null; sleep 618';
      const { end } = await bench.sh(bomb, { timeoutMs: 4_000 });
      expect(end.timedOut).toBe(true);
      expect((await bench.sh('exit 0')).end.exit).toBe(0);
    },
  },
  {
    name: 'has no capability, and can get none',
    notFor: WEAK,
    run: async (bench) => {
      const said = await bench.output('grep -E "^(CapEff|CapBnd):" /proc/self/status');
      expect(said).toMatch(/CapEff:\s+0+\n/);
      expect(said).toMatch(/CapBnd:\s+0+\n/);
    },
  },
  {
    name: 'gets no more rights from a program that gives them',
    notFor: { ...WEAK, apple: 'its CLI has no such flag; a trial has a machine of its own' },
    run: async (bench) => {
      const said = await bench.output('grep -E "^NoNewPrivs:" /proc/self/status');
      expect(said).toMatch(/NoNewPrivs:\s+1\n/);
    },
  },
  {
    name: 'has a base that can’t be changed',
    notFor: WEAK,
    run: async (bench) => {
      const said = await bench.output('touch /usr/bin/x /etc/x /opt/x; echo "$?"');
      expect(said).toMatch(/Read-only file system/);
      expect(said).toMatch(/\n1\n$/);
    },
  },
  {
    name: 'has no network but its own',
    notFor: WEAK,
    run: async (bench) => {
      expect(await bench.output('ls /sys/class/net')).toBe('lo\n');
    },
  },
  {
    name: 'reaches itself over the loopback',
    run: async (bench) => {
      const sandbox = await bench.sandbox();
      const self = `const s = require('net').createServer((c) => c.end('hello')).listen(0, '127.0.0.1', () =>
        require('net').connect(s.address().port, '127.0.0.1').on('data', (d) => {
          require('fs').writeFileSync('out/said.txt', d); s.close(); }));`;
      await bench.sh('', { sandbox, argv: [sandbox.node, '-e', self] });
      expect(await readFile(join(sandbox.host.out, 'said.txt'), 'utf8')).toBe('hello');
    },
  },
  {
    name: 'can’t see the host’s files',
    notFor: WEAK,
    run: async (bench) => {
      await writeFile(join(bench.dir, 'host-secret'), 'secret');
      const said = await bench.output(`cat ${join(bench.dir, 'host-secret')} || echo none`);
      expect(said).toMatch(/none\n$/);
    },
  },
  {
    name: 'can’t see another trial',
    notFor: WEAK,
    run: async (bench) => {
      const other = await bench.sandbox();
      await writeFile(join(other.host.home, 'credential'), 'secret');
      const said = await bench.output('ls -A ..; ls -A ../..; find / -name credential 2>/dev/null');
      expect(said).not.toContain('credential');
      expect(said).not.toContain('sandbox-');
    },
  },
  {
    name: 'has no socket of an engine or of the host',
    notFor: WEAK,
    run: async (bench) => {
      const said = await bench.output('find / -xdev -type s 2>/dev/null; echo end');
      expect(said).toBe('end\n');
    },
  },
  {
    name: 'sees no process but its own',
    notFor: WEAK,
    run: async (bench) => {
      const said = await bench.output('ls /proc | grep -c "^[0-9]"');
      expect(Number(said)).toBeLessThan(10);
    },
  },
  {
    name: 'leaves no zombies of orphans',
    notFor: { process: 'the host’s first process collects them' },
    run: async (bench) => {
      const said = await bench.output(
        'for i in 1 2 3 4 5 6 7 8; do sh -c "sleep 0.1 &"; done; sleep 1; cat /proc/[0-9]*/stat | grep -c ") Z"',
      );
      expect(said).toBe('0\n');
    },
  },
  {
    name: 'proves that nothing is left',
    run: async (bench) => {
      const { end } = await bench.sh('exit 0');
      const strong = bench.kind === 'process' ? ['cgroup', 'best-effort'] : ['container'];
      expect(strong).toContain(end.proof);
    },
  },
  {
    name: 'finds what a dead trial left, ends it, and finds it no more',
    run: async (bench) => {
      const sandbox = await bench.sandbox();
      const { trialHash } = sandbox.marker;
      const stop = new AbortController();
      const running = bench.sh('touch out/started; sleep 619', { sandbox, signal: stop.signal });
      await until(() => existsSync(join(sandbox.host.out, 'started')));
      expect(await bench.runtime.findLeftovers(bench.stateId)).toContain(trialHash);
      const { ended } = await bench.runtime.endLeftovers(sandbox.marker, sandbox.host.root);
      expect(ended).toBeGreaterThan(0);
      await running;
      expect(await bench.runtime.findLeftovers(bench.stateId)).not.toContain(trialHash);
      await until(async () => !(await runsOnHost('sleep 619')));
    },
  },
  {
    name: 'ends nothing twice',
    run: async (bench) => {
      const { sandbox } = await bench.sh('exit 0');
      const again = await bench.runtime.endLeftovers(sandbox.marker, sandbox.host.root);
      expect(again.ended).toBe(0);
    },
  },
  {
    name: 'leaves trials of another state folder alone',
    run: async (bench) => {
      const sandbox = await bench.sandbox();
      const stop = new AbortController();
      const running = bench.sh('touch out/started; sleep 620', { sandbox, signal: stop.signal });
      await until(() => existsSync(join(sandbox.host.out, 'started')));
      expect(await bench.runtime.findLeftovers('another')).toEqual([]);
      stop.abort();
      await running;
    },
  },
  {
    name: 'refuses a second start of the same trial',
    notFor: { process: 'the claim on disk alone keeps it' },
    run: async (bench) => {
      const first = await bench.sandbox();
      const second = await bench.sandbox({ trialHash: first.marker.trialHash });
      const stop = new AbortController();
      const script =
        'touch out/started; while [ ! -e inputs/go-on ]; do sleep 0.05; done; touch out/went-on; sleep 621';
      const running = bench.sh(script, {
        sandbox: first,
        signal: stop.signal,
      });
      await until(() => existsSync(join(first.host.out, 'started')));
      const refused = await bench.sh('touch out/started', { sandbox: second });
      expect(refused.end.exit).not.toBe(0);
      expect(existsSync(join(second.host.out, 'started'))).toBe(false);
      // And the first one goes on.
      await writeFile(join(first.host.inputs, 'go-on'), '');
      await until(() => existsSync(join(first.host.out, 'went-on')));
      stop.abort();
      await running;
    },
  },
  {
    name: 'runs two stages of one trial apart',
    run: async (bench) => {
      const first = await bench.sandbox();
      const grade = await bench.sandbox({ trialHash: first.marker.trialHash, stage: 'grade' });
      await bench.sh('echo here > home/mine', { sandbox: first });
      expect(await bench.output('ls home', { sandbox: grade })).toBe('');
    },
  },
  {
    name: 'says which image is missing',
    notFor: { process: 'has no images' },
    run: async (bench) => {
      const sandbox = await bench.sandbox({ image: 'llmx-no-such-image:latest' });
      const { end } = await bench.sh('exit 0', { sandbox });
      expect(end.exit).not.toBe(0);
      expect(end.detail).toMatch(/llmx-no-such-image/);
    },
  },
  {
    name: 'ends the command when its own client is killed, and says so',
    notFor: { process: 'has no client' },
    run: async (bench) => {
      const sandbox = await bench.sandbox();
      const running = bench.sh('touch out/started; cat; sleep 0', { sandbox });
      await until(() => existsSync(join(sandbox.host.out, 'started')));
      killClients(sandbox.marker.trialHash);
      const { end } = await running;
      expect(end).toMatchObject({ exit: null, signal: 'SIGKILL', timedOut: false });
      expect(end.detail).toMatch(/client/);
      expect(await bench.runtime.findLeftovers(bench.stateId)).toEqual([]);
    },
  },
  {
    name: 'closes the command’s input when the process that runs it is killed',
    run: async (bench) => {
      const sandbox = await bench.sandbox();
      const { caller } = await startCaller(bench, sandbox.host.root, sandbox.marker.trialHash);
      await until(() => existsSync(join(sandbox.host.out, 'started')));
      caller.kill('SIGKILL');
      await until(() => existsSync(join(sandbox.host.out, 'input-closed')));
    },
  },
  {
    name: 'lets the command read and copy what the image holds',
    notFor: { process: 'has no images' },
    run: async (bench) => {
      const said = await bench.output('cp -a /usr/share/git-core "$TMPDIR"/x && ls "$TMPDIR"/x');
      expect(said).toBe('templates\n');
    },
  },
  {
    name: 'takes a sandbox whose path has spaces, commas and other letters',
    notFor: { apple: 'its CLI can’t be given such a folder; the trial is void and says so' },
    run: async (bench) => {
      const dir = join(bench.dir, 'a b, "c" 漢');
      await mkdir(dir, { recursive: true });
      const sandbox = await bench.runtime.prepare({
        marker: { trialHash: `odd${bench.stateId}`, stateId: bench.stateId },
        grid: null,
        root: join(dir, 'sandbox'),
        image: bench.image,
        memory: { text: '256m', bytes: 256 * MIB },
        cpus: '0.5',
        network: 'none',
        stage: 'trial',
      });
      const { end } = await bench.sh('touch out/here', { sandbox });
      expect(end.exit).toBe(0);
      expect(existsSync(join(sandbox.host.out, 'here'))).toBe(true);
      await bench.runtime.destroy(sandbox.marker, sandbox.host.root);
    },
  },
  {
    name: 'gives a running command all processors when told to',
    notFor: { process: 'has no quota of its own', apple: 'has a machine of its own' },
    run: async (bench) => {
      const sandbox = await bench.sandbox();
      const quota = 'cat /sys/fs/cgroup/cpu.max /sys/fs/cgroup/cpu/cpu.cfs_quota_us 2>/dev/null';
      const script = `${quota} > out/before; touch out/started
        while ! [ -e out/relieved ]; do sleep 0.02; done; ${quota} > out/after; true`;
      const running = bench.sh(script, { sandbox });
      const out = (name: string): string => join(sandbox.host.out, name);
      await until(() => existsSync(out('started')));
      await bench.runtime.giveAllCpus(sandbox);
      await writeFile(out('relieved'), '');
      await running;
      const [before, after] = [await quotaIn(out('before')), await quotaIn(out('after'))];
      expect(before).toBe(100_000);
      expect(after).toBe(100_000 * cpus().length);
    },
  },
  {
    name: 'names its sandbox after trial, grid and state folder',
    notFor: { process: 'has no labels' },
    run: async (bench) => {
      const { container, marker } = await bench.sandbox();
      expect(container?.name).toContain(marker.trialHash);
      expect(Object.values(container?.labels ?? {})).toEqual([
        marker.trialHash,
        marker.stateId,
        'llmx-grid-contract',
      ]);
    },
  },
];

/** The engine's client of one trial, as it stands in the process list. */
function killClients(trialHash: string): void {
  const list = execFileSync('ps', ['-eo', 'pid,args'], { encoding: 'utf8' });
  for (const line of list.split('\n')) {
    if (!/\brun\b/.test(line) || !line.includes(`--name llmx-${trialHash}`)) continue;
    if (/conmon/.test(line)) continue;
    process.kill(Number(line.trim().split(' ', 1)[0]), 'SIGKILL');
  }
}

/** A process of its own that runs a command in a sandbox, to be killed. */
async function startCaller(
  bench: RuntimeBench,
  root: string,
  trialHash: string,
): Promise<{ readonly caller: ReturnType<typeof spawn> }> {
  await bench.runtime.destroy({ trialHash, stateId: bench.stateId }, root);
  const facts = { kind: bench.kind, root, trialHash, stateId: bench.stateId, image: bench.image };
  const file = new URL('./caller.mjs', import.meta.url).pathname;
  const caller = spawn(process.execPath, [file, JSON.stringify(facts)], {
    // Jest's own copy, in which the engine may have another PATH.
    env: { ...process.env },
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  return { caller };
}

/** Microseconds in each tenth of a second, as either version of control groups has it. */
async function quotaIn(file: string): Promise<number> {
  return Number((await readFile(file, 'utf8')).trim().split(' ')[0]);
}
