import { describe, expect, it } from 'vitest';
import {
  type Column,
  columns,
  costCell,
  listed,
  statusCell,
  timeCell,
} from '../../../src/cli/terminal/columns.ts';
import { plainText } from '../../../src/cli/terminal/styled.ts';
import { textWidth } from '../../../src/cli/terminal/text-width.ts';

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

  it('are aligned by what characters take on a terminal', () => {
    expect(
      columns([
        ['你好', 'x'],
        ['abc', 'y'],
      ]),
    ).toBe('你好  x\nabc   y\n');
  });

  it('have one line each, whatever their cells say', () => {
    expect(columns([['a\n\u001b[2Jb', 'c\td']])).toBe('a \\u001b[2Jb  c d\n');
  });
});

interface Row {
  id: string;
  kind: string;
  about: string;
}

const rows: Row[] = [
  { id: 'run_0123456789', kind: 'default', about: 'What is in this folder, and why is it there?' },
  { id: 'run_9', kind: 'default', about: '这个文件夹里有什么？为什么在那里？' },
];
const listColumns: Column<Row>[] = [
  { title: 'run', cell: ({ id }) => id },
  { title: 'kind', cell: ({ kind }) => kind, min: 4, rank: 1 },
  { title: 'prompt', cell: ({ about }) => about, min: 10 },
];
const on = (columns: number) => ({ isTTY: true, columns });
const linesOf = (width: number, shown = listColumns) =>
  plainText(listed(rows, shown, on(width)))
    .trimEnd()
    .split('\n');

describe('a list on a terminal', () => {
  it.each([30, 40, 60, 80, 120])('fits %d columns', (width) => {
    for (const line of linesOf(width)) expect(textWidth(line)).toBeLessThanOrEqual(width);
  });

  it('has titles, and cuts its last column first', () => {
    expect(linesOf(50)).toEqual([
      'run             kind     prompt',
      'run_0123456789  default  What is in this folder, …',
      'run_9           default  这个文件夹里有什么？为什…',
    ]);
  });

  it('leaves out a column when there is no room for all', () => {
    expect(linesOf(30)[0]).toBe('run             prompt');
  });

  it('never cuts or leaves out what the person needs for the next command', () => {
    expect(linesOf(8)[1]).toMatch(/^run_0123456789 /);
  });

  it('leaves out a column that says the same of every row', () => {
    const quiet = listColumns.map((column) => ({ ...column, unless: 'default' }));
    expect(linesOf(80, quiet)[0]).toMatch(/^run +prompt$/);
  });
});

describe('a list in a pipe', () => {
  it('is whole, without titles', () => {
    expect(listed(rows, listColumns, { isTTY: false, columns: undefined })).toBe(
      'run_0123456789  default  What is in this folder, and why is it there?\nrun_9           default  这个文件夹里有什么？为什么在那里？\n',
    );
  });
});

describe('a cell', () => {
  it('of a time says when to a program, and how long ago to a person', () => {
    const at = 1_800_000_000_123;
    expect(timeCell(at, { isTTY: false })).toBe('2027-01-15T08:00:00Z');
    for (const [later, shown] of [
      [-5_000, '1 s ago'],
      [59_000, '59 s ago'],
      [61_000, '61 s ago'],
      [150_000, '3 min ago'],
      [7_300_000, '2 h ago'],
      [90_000_000, '25 h ago'],
      [200_000_000, '2 days ago'],
    ] as const)
      expect(timeCell(at, { isTTY: true }, at + later)).toBe(shown);
  });

  it('of a time is total', () => {
    for (const at of [8.64e15 + 1, Number.NaN, -1e300, Number.POSITIVE_INFINITY])
      for (const isTTY of [true, false]) expect(typeof timeCell(at, { isTTY }, 0)).toBe('string');
  });

  it('of a status has the outcome when that says more', () => {
    expect(statusCell('failed', 'max_steps')).toBe('failed (max_steps)');
    expect(statusCell('done', 'completed')).toBe('done');
    expect(statusCell('cancelled', 'cancelled')).toBe('cancelled');
    expect(statusCell('waiting')).toBe('waiting');
  });

  it('of a cost that is not known is no zero', () => {
    expect([costCell(null), costCell(0.00123)]).toEqual(['?', '$0.0012']);
  });
});
