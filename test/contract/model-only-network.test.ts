import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Sandbox } from '../../src/runtimes/runtime.js';
import { startModelServers, type ModelServers } from '../fixtures/model-servers.js';
import type { RunningProgram } from '../fixtures/run-module.js';
import { Netless } from './support/netless.js';
import { until } from './support/trial-harness.js';

/** Podman has to be there; docker is looked at where its engine answers. */
const KINDS = (['podman', 'docker'] as const).filter(
  (kind) => kind === 'podman' || spawnSync('docker', ['version']).status === 0,
);

/** Most that a process may need for a stream of any length, over what it needs at rest. */
const BUFFERS_KB = 60_000;
const STREAM_BYTES = 100 * 1024 * 1024;

/** The agent: each test sends it these few tools and what to do with them. */
const TOOLS = `
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, writeFileSync, existsSync } from 'node:fs';
import { connect } from 'node:net';
import { promisify } from 'node:util';
import { lookup } from 'node:dns/promises';
const run = async (...argv) => {
  const startedMs = performance.now();
  const end = await promisify(execFile)(argv[0], argv.slice(1), { maxBuffer: 1e9 }).catch((error) => error);
  const ms = performance.now() - startedMs;
  return { exit: end.code ?? 0, stdout: end.stdout.trim(), stderr: end.stderr.trim(), ms };
};
const curl = (...args) => run('curl', '--silent', '--show-error', '--max-time', '50', ...args);
/** By way of the proxy, whatever NO_PROXY says. */
const proxied = (...args) => curl('--noproxy', '', '--cacert', '/trial/inputs/ca.pem', ...args);
const say = (value) => console.log(JSON.stringify(value));
`;

describe.each(KINDS)('a container of %s without a network', (kind) => {
  let lab: Netless;
  let servers: ModelServers;
  let sandbox: Sandbox;
  let proxy: RunningProgram | null = null;
  let serversDir = '';
  let hosts = '';

  beforeAll(async () => {
    serversDir = await mkdtemp(join(tmpdir(), 'llmx-servers-'));
    [lab, servers] = await Promise.all([Netless.make(kind), startModelServers(serversDir)]);
    hosts = [servers.http, servers.tls, servers.halfClose]
      .map((port) => `127.0.0.1:${port}`)
      .join(',');
  }, 120_000);

  afterAll(async () => {
    servers.close();
    await lab.remove();
    await rm(serversDir, { recursive: true, force: true });
  });

  beforeEach(async () => {
    sandbox = await lab.prepare();
  });

  afterEach(() => {
    proxy?.child.kill('SIGKILL');
    proxy = null;
  });

  /** Runs an agent with a way out and returns what it said. */
  async function say(script: string) {
    proxy = await lab.startProxy(sandbox, hosts);
    return agentSays(script);
  }

  async function agentSays(script: string) {
    const ports = `const ports = ${JSON.stringify({ ...servers })};\n`;
    const { result, stdout } = await lab.runAgent(sandbox, TOOLS + ports + script, {
      egress: lab.route(sandbox, hosts),
      files: { 'ca.pem': readFileSync(servers.certificate, 'utf8') },
    });
    if (result.aborted !== null) throw new Error(result.abortDetail ?? result.aborted);
    return JSON.parse(stdout);
  }

  async function countOfProxy() {
    if (proxy === null) throw new Error('no proxy runs');
    let output = '';
    proxy.child.stdout?.on('data', (chunk: Buffer) => (output += chunk.toString()));
    proxy.child.kill('SIGTERM');
    await proxy.ended;
    return JSON.parse(output);
  }

  const peakKb = (status: string): number => Number(/^VmHWM:\s+(\d+)/m.exec(status)?.[1]);

  it('reaches allowed hosts by the proxy and by the loopback address that they have outside', async () => {
    const said = await say(`say({
      http: await proxied('http://127.0.0.1:' + ports.http + '/v1'),
      tls: await proxied('https://127.0.0.1:' + ports.tls + '/v1'),
      sameHttp: await curl('http://127.0.0.1:' + ports.http + '/v1'),
      sameTls: await curl('--cacert', '/trial/inputs/ca.pem', 'https://127.0.0.1:' + ports.tls + '/v1'),
      node: await (await fetch('http://127.0.0.1:' + ports.http + '/v1')).text(),
      environment: Object.keys(process.env).filter((name) => /proxy/i.test(name)).sort(),
    })`);
    const http = `hello 127.0.0.1:${servers.http}`;
    const tls = `hello 127.0.0.1:${servers.tls}`;
    expect(said.http).toMatchObject({ exit: 0, stdout: http });
    expect(said.tls).toMatchObject({ exit: 0, stdout: tls });
    expect(said.sameHttp).toMatchObject({ exit: 0, stdout: http });
    expect(said.sameTls).toMatchObject({ exit: 0, stdout: tls });
    expect(said.node.trim()).toBe(http);
    expect(said.environment).toEqual([
      'HTTPS_PROXY',
      'HTTP_PROXY',
      'NODE_USE_ENV_PROXY',
      'NO_PROXY',
      'http_proxy',
      'https_proxy',
      'no_proxy',
    ]);
    expect(await countOfProxy()).toEqual({ connections: 5, refused: 0, unlogged: 0 });
    expect(await lab.log(sandbox)).toMatchObject([
      { method: 'GET', port: servers.http },
      { method: 'CONNECT', port: servers.tls },
      { method: 'CONNECT', port: servers.http },
      { method: 'CONNECT', port: servers.tls },
      { method: 'CONNECT', port: servers.http },
    ]);
  });

  it('reaches nothing else: no host, no name, no interface', async () => {
    const said = await say(`say({
      refused: await proxied('https://example.com/'),
      metadata: await proxied('http://169.254.169.254/'),
      direct: await curl('--noproxy', '*', 'https://1.1.1.1/'),
      name: await lookup('example.com').catch(({ code }) => code),
      other: await curl('http://127.0.0.1:1/'),
      interfaces: readFileSync('/proc/net/dev', 'utf8').match(/^ *\\w+(?=:)/gm).map((name) => name.trim()),
    })`);
    expect(said.refused).toMatchObject({ exit: 56, stderr: expect.stringContaining('403') });
    expect(said.metadata).toMatchObject({
      exit: 0,
      stdout: expect.stringContaining('model-only: 169.254.169.254:80 is not among the hosts'),
    });
    expect(said.direct.exit).toBe(7);
    expect(said.name).toMatch(/^(EAI_AGAIN|ENOTFOUND)$/);
    expect(said.other.exit).toBe(7);
    // A machine may bring tunnel devices of its kernel along; none of them is up.
    expect(said.interfaces).toContain('lo');
    expect(said.interfaces.filter((name: string) => /^(eth|en|tap|wl)/.test(name))).toEqual([]);
    expect(await countOfProxy()).toEqual({ connections: 2, refused: 2, unlogged: 0 });
    expect(await lab.log(sandbox)).toMatchObject([
      { method: 'CONNECT', host: 'example.com', port: 443, allowed: false },
      { method: 'GET', host: '169.254.169.254', port: 80, allowed: false },
    ]);
  });

  it('carries 50 connections at once, and lets a side end before the other', async () => {
    const said = await say(`
      const half = async (at) => {
        const socket = connect({ port: ports.halfClose, host: '127.0.0.1', allowHalfOpen: true });
        let answer = '';
        socket.on('data', (chunk) => (answer += chunk));
        socket.end('x'.repeat(at * 1000 + 1));
        await once(socket, 'end');
        return answer;
      };
      say(await Promise.all(Array.from({ length: 50 }, (_, at) => half(at))));
    `);
    expect(said).toEqual(Array.from({ length: 50 }, (_, at) => `${at * 1000 + 1} bytes\n`));
    expect(await countOfProxy()).toEqual({ connections: 50, refused: 0, unlogged: 0 });
  });

  it('streams 100 MiB both ways at once in constant memory', async () => {
    const said = await say(`
      const tunnel = () => Number(/^VmHWM:\\s+(\\d+)/m.exec(readFileSync('/proc/' + process.ppid + '/status', 'utf8'))[1]);
      const before = tunnel();
      const down = run('sh', '-c', 'curl -sS --noproxy "" http://127.0.0.1:' + ports.http + '/big/${STREAM_BYTES} --limit-rate 1000M -o /dev/null -w "%{size_download}"');
      const up = run('sh', '-c', 'node -e "const b=Buffer.alloc(65536);let n=${STREAM_BYTES / 65536};const w=()=>{while(n-->0)if(!process.stdout.write(b))return process.stdout.once(\\'drain\\',w)};w()" | curl -sS -T - -X POST http://127.0.0.1:' + ports.http + '/');
      say({ down: await down, up: await up, grown: tunnel() - before });
    `);
    expect(said.down).toMatchObject({ exit: 0, stdout: `${STREAM_BYTES}` });
    expect(said.up).toMatchObject({ exit: 0, stdout: `${STREAM_BYTES}` });
    expect(said.grown).toBeLessThan(BUFFERS_KB);
    const status = await readFile(`/proc/${proxy?.child.pid ?? 0}/status`, 'utf8');
    expect(peakKb(status)).toBeLessThan(60_000 + BUFFERS_KB);
    await countOfProxy();
    const bytes = (await lab.log(sandbox)).map(({ bytesUp, bytesDown }) => [bytesUp, bytesDown]);
    expect(Math.max(...bytes.flat().map(Number))).toBeGreaterThan(STREAM_BYTES);
  }, 60_000);

  it('fails at once, and does not hang, when the proxy dies', async () => {
    const running = say(`
      const socket = connect(ports.halfClose, '127.0.0.1');
      const ended = new Promise((resolve) => socket.once('close', resolve));
      socket.on('error', () => undefined);
      await once(socket, 'connect');
      await curl('http://127.0.0.1:' + ports.http + '/');
      writeFileSync('/trial/out/ready', '');
      await ended;
      say([await curl('http://127.0.0.1:' + ports.http + '/'), await proxied('https://127.0.0.1:' + ports.tls + '/')]);
    `);
    await until('the agent', () => existsSync(join(sandbox.host.out, 'ready')));
    proxy?.child.kill('SIGKILL');
    const said = await running;
    for (const { exit, ms } of said) {
      expect(exit).not.toBe(0);
      expect(ms).toBeLessThan(5_000);
    }
  });

  it('starts no agent when its way out is not there', async () => {
    await expect(agentSays('say("started")')).rejects.toThrow(
      "agent: the way to the model API can't be opened: connect ENOENT",
    );
  });

  it('works below a folder whose name is longer than a socket’s address may be', async () => {
    sandbox = await lab.prepare(join(lab.dir, 'x'.repeat(100), 'y'.repeat(100)));
    expect(sandbox.host.root.length).toBeGreaterThan(200);
    const said = await say(`say(await curl('http://127.0.0.1:' + ports.http + '/'))`);
    expect(said).toMatchObject({ exit: 0, stdout: `hello 127.0.0.1:${servers.http}` });
  });
});
