import { describe, expect, it } from '@jest/globals';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import { LLMX_SEARCH_ATTRIBUTES } from '../../../src/temporal/search-attributes.js';

interface Service {
  readonly image: string;
  readonly ports?: readonly string[];
  readonly restart?: string;
  readonly command?: readonly string[];
  readonly environment?: Readonly<Record<string, string>>;
  readonly healthcheck?: object;
  readonly volumes?: readonly string[];
}

const root = join(import.meta.dirname, '..', '..', '..');
const text = readFileSync(join(root, 'docker-compose.yml'), 'utf8');
const compose = parse(text, { merge: true }) as {
  readonly services: Readonly<Record<string, Service>>;
  readonly volumes: object;
  readonly configs: Readonly<Record<string, { readonly content: string }>>;
};
const services = Object.entries(compose.services);
const service = (name: string): Service => {
  const found = compose.services[name];
  if (found === undefined) throw new Error(`no service ${name}`);
  return found;
};
const JOBS = ['schema', 'namespace'];

describe('docker-compose.yml', () => {
  it('publishes the server and the Web UI on loopback, and nothing else', () => {
    const published = services.flatMap(([name, { ports }]) =>
      (ports ?? []).map((port) => [name, port]),
    );
    expect(published).toEqual([
      ['temporal', '127.0.0.1:${LLMX_TEMPORAL_PORT:-7233}:7233'],
      ['ui', '127.0.0.1:${LLMX_UI_PORT:-8080}:8080'],
    ]);
  });

  it('names an exact version of every image', () => {
    for (const [name, { image }] of services)
      expect([name, image]).toEqual([name, expect.stringMatching(/:\d+(\.\d+)+$/)]);
  });

  it('restarts what serves, and checks its health', () => {
    for (const [name, { restart, healthcheck }] of services) {
      if (JOBS.includes(name)) expect(restart).toMatch(/^on-failure:\d+$/);
      else expect([name, restart, typeof healthcheck]).toEqual([name, 'unless-stopped', 'object']);
    }
  });

  it('holds no password, only the variable that must be set', () => {
    const passwords = services.flatMap(([, { environment }]) =>
      Object.entries(environment ?? {}).filter(([name]) => /PASSWORD|PWD/.test(name)),
    );
    expect(passwords.length).toBeGreaterThan(0);
    for (const [, value] of passwords) expect(value).toMatch(/^\$\{LLMX_POSTGRES_PASSWORD:\?.+\}$/);
    const example = readFileSync(join(root, '.env.example'), 'utf8');
    expect(example).toMatch(/^LLMX_POSTGRES_PASSWORD=$/m);
  });

  it('keeps the database in a named volume', () => {
    expect(service('postgres').volumes).toEqual(['postgres-data:/var/lib/postgresql/data']);
    expect(Object.keys(compose.volumes)).toEqual(['postgres-data']);
  });

  it('makes a namespace with 90 days of retention and llmx’s search attributes', () => {
    const script = service('namespace').command?.join('\n') ?? '';
    expect(script).toContain('namespace update --retention 90d');
    const created = [...script.matchAll(/--name (\w+) --type (\w+)/g)].map(([, name, type]) => ({
      name,
      type: type?.toUpperCase(),
    }));
    expect(created).toEqual(LLMX_SEARCH_ATTRIBUTES);
  });

  it('has a dynamic configuration that is itself YAML', () => {
    const settings = parse(compose.configs['dynamic-config']?.content ?? '') as object;
    expect(Object.keys(settings)).toContain('limit.maxIDLength');
  });
});
