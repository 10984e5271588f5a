import { connect as connectTcp } from 'node:net';
import { connect as connectTls } from 'node:tls';
import type { Duplex } from 'node:stream';
import { LlmxError } from '../errors/llmx-error.js';
import { isLoopback } from './addresses.js';
import { authorityOf, parseAuthority, type Target } from './authority.js';
import { connectThrough } from './connect-through.js';

type Environment = Readonly<Record<string, string | undefined>>;

/** The proxy that this machine itself has to use. */
export interface ParentProxy {
  /** Whether the way to a target goes through it. */
  isFor(target: Target): boolean;
  /** Opens a connection to the proxy; {@link through} then asks it. */
  connect(): Duplex;
  through(connection: Duplex, target: Target): Promise<Duplex>;
}

/**
 * From HTTPS_PROXY and NO_PROXY, in lower case first, as other programs read them.
 * @returns null where there is none
 * @throws LlmxError `proxy_setting_invalid`; the value may hold a password and is not shown
 */
export function parentProxy(env: Environment): ParentProxy | null {
  const name = ['https_proxy', 'HTTPS_PROXY'].find((candidate) => env[candidate]);
  if (name === undefined) return null;
  const url = parsed(name, env[name] ?? '');
  const isTls = url.protocol === 'https:';
  const target = parseAuthority(url.host, isTls ? 443 : 80);
  if (target === null) throw new LlmxError('proxy_setting_invalid', { name, problem: 'no host' });
  const direct = directRules(env['no_proxy'] ?? env['NO_PROXY'] ?? '');
  const headers = authorization(url);
  return {
    isFor: (wanted) => !isLoopback(wanted.host) && !direct.some((rule) => rule(wanted)),
    connect: () =>
      isTls
        ? connectTls({ ...target, servername: target.host })
        : connectTcp({ ...target, allowHalfOpen: true }),
    through: (connection, wanted) => connectThrough(connection, authorityOf(wanted), headers),
  };
}

function parsed(name: string, value: string): URL {
  let url: URL;
  try {
    url = new URL(/^[a-z0-9+.-]+:\/\//i.test(value) ? value : `http://${value}`);
  } catch {
    throw new LlmxError('proxy_setting_invalid', { name, problem: 'it is no URL' });
  }
  if (url.protocol === 'http:' || url.protocol === 'https:') return url;
  const problem = `${url.protocol}// is not supported`;
  throw new LlmxError('proxy_setting_invalid', { name, problem });
}

function authorization({ username, password }: URL): Readonly<Record<string, string>> {
  if (username === '' && password === '') return {};
  const pair = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`;
  return { 'proxy-authorization': `Basic ${Buffer.from(pair).toString('base64')}` };
}

type DirectRule = (target: Target) => boolean;

function directRules(list: string): readonly DirectRule[] {
  return list.split(/[\s,]+/).flatMap((item): readonly DirectRule[] => {
    if (item === '*') return [() => true];
    const rule = parseAuthority(item.replace(/^\*?\./, ''), 443);
    if (rule === null) return [];
    const hasPort = /:\d+$/.test(item);
    return [
      ({ host, port }) =>
        (!hasPort || port === rule.port) && (host === rule.host || host.endsWith(`.${rule.host}`)),
    ];
  });
}
