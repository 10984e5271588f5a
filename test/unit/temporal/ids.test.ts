import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { NO_FILTERS } from '../../../src/domain/plan/cell.js';
import { filterHash } from '../../../src/temporal/filter-hash.js';
import { uiLink } from '../../../src/temporal/ids.js';
import { LLMX_SEARCH_ATTRIBUTES } from '../../../src/temporal/search-attributes.js';

describe('filterHash', () => {
  it('is eight hex digits and the same for equal filters, whatever the order of their keys', () => {
    fc.assert(
      fc.property(
        fc.option(fc.string()),
        fc.array(fc.string()),
        fc.option(fc.string()),
        (app, agents, task) => {
          const hash = filterHash({ app, agents, task });
          expect(hash).toMatch(/^[0-9a-f]{8}$/);
          expect(filterHash({ task, agents: [...agents], app })).toBe(hash);
        },
      ),
    );
  });

  it.each([
    [{ ...NO_FILTERS, app: 'x' }],
    [{ ...NO_FILTERS, task: 'x' }],
    [{ ...NO_FILTERS, agents: ['x'] }],
    [{ ...NO_FILTERS, agents: ['x', 'y'] }],
    [{ ...NO_FILTERS, agents: ['y', 'x'] }],
  ])('tells %j from all others', (filters) => {
    const others = [NO_FILTERS, { ...NO_FILTERS, agents: ['x,y'] }];
    expect(others.map(filterHash)).not.toContain(filterHash(filters));
  });

  it('tells the order of agents apart', () => {
    const order = (...agents: string[]): string => filterHash({ ...NO_FILTERS, agents });
    expect(order('x', 'y')).not.toBe(order('y', 'x'));
  });
});

describe('uiLink', () => {
  it('leads to the latest run, or to the history of one run', () => {
    const link = 'http://127.0.0.1:8233/namespaces/default/workflows/llmx-grid-a-1';
    expect(uiLink('http://127.0.0.1:8233', 'default', 'llmx-grid-a-1')).toBe(link);
    expect(uiLink('http://127.0.0.1:8233/', 'default', 'llmx-grid-a-1', 'r1')).toBe(
      `${link}/r1/history`,
    );
  });

  it('keeps names with special characters in their place', () => {
    const link = uiLink('http://h', 'a/b', 'w?x#y');
    expect(new URL(link).pathname).toBe('/namespaces/a%2Fb/workflows/w%3Fx%23y');
  });
});

describe('search attributes', () => {
  it('are the six of the design', () => {
    expect(LLMX_SEARCH_ATTRIBUTES.map(({ name, type }) => `${name} ${type}`)).toEqual([
      'LlmxExperiment KEYWORD',
      'LlmxPhase KEYWORD',
      'LlmxVerdict KEYWORD',
      'LlmxDone INT',
      'LlmxTotal INT',
      'LlmxHost KEYWORD',
    ]);
  });
});
