import { describe, expect, it } from '@jest/globals';
import { Command } from 'commander';
import { addFilterOptions, filtersFrom, type FilterFlags } from '../../../src/client/filters.js';

function parsed(...argv: readonly string[]): ReturnType<typeof filtersFrom> {
  const command = addFilterOptions(new Command('x')).parse([...argv], { from: 'user' });
  return filtersFrom(command.opts<FilterFlags>());
}

describe('filter options', () => {
  it('filter nothing when none is given', () => {
    expect(parsed()).toEqual({ app: null, agents: [], task: null });
  });

  it('keep the order in which agents are named', () => {
    const filters = parsed('--agent', 'nop', '--app', 'shop', '--agent', 'oracle', '--task', 't');
    expect(filters).toEqual({ app: 'shop', agents: ['nop', 'oracle'], task: 't' });
  });

  it('start afresh with every command line', () => {
    parsed('--agent', 'nop');
    expect(parsed('--agent', 'oracle').agents).toEqual(['oracle']);
  });
});
