import { describe, expect, it } from 'vitest';
import { type Budget, emptyRaises, lowered, overruns } from '../../scripts/house/budget.ts';
import { weigh } from '../../scripts/house/mass.ts';

const weight = (text: string) => weigh('src/engine/planted.ts', text);

describe('the weight of a file', () => {
  it('counts the names that it exports', () => {
    expect(weight('export const a = 1, b = 2;\n').exports).toBe(2);
    expect(weight("export { a, type B } from './x.ts';\nexport interface C {}\n").exports).toBe(3);
    expect(weight('const a = 1;\nfunction b() {}\n').exports).toBe(0);
  });

  it('counts casts that the compiler cannot check, and no others', () => {
    expect(weight('const a = b as never;\nconst c = d as unknown as E;\n').casts).toBe(2);
    expect(weight('const a = b as C;\nconst d = e as const;\nconst f = g as unknown;\n').casts).toBe(0);
  });

  it.each([
    ['an arrow', 'new Engine(() => 1);'],
    ['one of an object', 'new Engine({ send: () => 1 });'],
    ['a method of an object', 'new Engine({ send() {} });'],
    ['one of an object in an object', 'new Engine({ parts: { send: async () => 1 } });'],
    ['one that is declared before', 'const send = () => 1;\nnew Engine({ send });'],
    ['one of a create function', 'createToolbox({ find: (name: string) => name });'],
  ])('counts functions that are handed to constructors: %s', (_what, text) => {
    expect(weight(`${text}\n`).handedFunctions).toBe(1);
  });

  it.each([
    ['what the language takes', 'new Promise((resolve) => resolve(1));'],
    ['what any function takes', 'names.map((name) => name);'],
    ['values', 'new Engine({ host, limit: 3, names: [1] });'],
  ])('does not count %s', (_what, text) => {
    expect(weight(`${text}\n`).handedFunctions).toBe(0);
  });

  it('counts files that a script wrote', () => {
    expect(weight('// Written by scripts/write-x.ts from y.\nexport const a = 1;\n').printed).toBe(1);
    expect(weight("const head = '// Written by scripts/write-x.ts';\n").printed).toBe(0);
  });
});

describe('the budget', () => {
  const budget: Budget = { rooms: { engine: { lines: 100, casts: 3 } }, raised: [] };
  const engine = (lines: number, casts = 3) => new Map([['engine', { lines, casts }]]);

  it('is kept by what weighs as much', () => {
    expect(overruns(engine(100), budget)).toEqual([]);
  });

  it('is broken by what grows, by what shrinks without it, and by a room that it does not know', () => {
    expect(overruns(engine(101), budget)).toEqual([{ room: 'engine', figure: 'lines', is: 101, may: 100 }]);
    expect(overruns(engine(99), budget)).toEqual([{ room: 'engine', figure: 'lines', is: 99, may: 100 }]);
    expect(overruns(new Map([...engine(100), ['attic', { lines: 1, casts: 0 }]]), budget)).toHaveLength(1);
  });

  const raise = {
    room: 'engine',
    figure: 'lines',
    by: 20,
    reason: 'leases by the clock of the database',
  } as const;

  it('is raised by a line with a reason alone', () => {
    expect(overruns(engine(120), { ...budget, raised: [raise] })).toEqual([]);
    expect(emptyRaises({ ...budget, raised: [raise] })).toEqual([]);
    for (const bad of [
      { reason: '' },
      { reason: 'needed' },
      { by: -1 },
      { by: 0.5 },
      { figure: 'weight' as 'lines' },
    ])
      expect(emptyRaises({ ...budget, raised: [{ ...raise, ...bad }] })).toHaveLength(1);
  });

  it('is lowered where a room shrank, and never raised by that', () => {
    const after = lowered(engine(90, 5), { ...budget, raised: [raise] });
    expect(after).toEqual({ rooms: { engine: { lines: 90, casts: 3 } }, raised: [] });
    expect(overruns(engine(90, 5), after)).toEqual([{ room: 'engine', figure: 'casts', is: 5, may: 3 }]);
  });
});
