import { describe, expect, it } from 'vitest';
import { columns, fitted, statusCell, timeCell } from '../../../src/cli/terminal/columns.ts';

describe('rows in columns', () => {
  it('stand under each other, with nothing behind the last cell', () => {
    expect(
      columns([
        ['run_1.c2', 'done', 'a'],
        ['run_1', 'waiting', ''],
      ]),
    ).toBe('run_1.c2  done     a\nrun_1     waiting\n');
  });

  it('make no room for a cell that is longer than most', () => {
    const rows = [
      ['a', 'x'.repeat(9), 'default'],
      ['bb', '12', 'file'],
    ];
    expect(columns(rows, 5)).toBe(`a   ${'x'.repeat(9)}  default\nbb  12  file\n`);
  });

  it('have their last cells cut where there is no terminal to fit into', () => {
    expect(fitted([['a', 'one two three']], 8)).toEqual([['a', 'one two…']]);
  });

  it('fit into 80 columns with the time and the names of a run', () => {
    const row = [
      'run_0123456789abcdef',
      statusCell('done'),
      timeCell(1_800_000_000_123),
      'ses_0123456789abcdef',
    ];
    expect(row[2]).toBe('2027-01-15T08:00:00Z');
    expect(columns([row]).trimEnd().length).toBeLessThanOrEqual(80);
  });
});
