import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { figures, violations } from '../../scripts/house/check-tree.ts';
import { doors, inside, only, packages, published, rows } from '../../scripts/house/directions.ts';
import { readSource, readTree } from '../../scripts/house/read-tree.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
const tree = readTree(root);

const folder = (room: string) =>
  room === 'machines' ? 'machines' : room === 'web' ? 'web/src' : `src/${room}`;
const planted = (file: string, specifier: string) =>
  violations([readSource(file, `import type { X } from '${specifier}';\n`)]);

/** Every import that one list of rows forbids: of what stands above, and of neighbours. */
const forbidden = (list: readonly (readonly string[])[]) =>
  list.flatMap((row, index) =>
    row.flatMap((from) => [
      ...list.slice(0, index).flatMap((above) => above.map((to) => [from, to] as const)),
      ...row.filter((to) => to !== from).map((to) => [from, to] as const),
    ]),
  );

const allowed = (list: readonly (readonly string[])[]) =>
  list.flatMap((row, index) =>
    row.flatMap((from) => list.slice(index + 1).flatMap((below) => below.map((to) => [from, to] as const))),
  );

const between = (from: string, to: string) =>
  [
    from === 'web' ? 'web/src/main.tsx' : `${folder(from)}/planted.ts`,
    `${upTo(from, to)}${to}/x.ts`,
  ] as const;

function upTo(from: string, to: string): string {
  if (from === 'web') return to === 'machines' ? '../../' : '../../src/';
  if (from === 'machines') return to === 'web' ? '../' : '../src/';
  return ['machines', 'web'].includes(to) ? '../../' : '../';
}

describe('the tree', () => {
  it('has no import against the directions', () => {
    expect(violations(tree)).toEqual([]);
  });

  it('has no circle of files', () => {
    expect(figures(tree).circles).toEqual([]);
  });

  it('computes the times of schedules from text, protocol and the types of jobs alone, without packages', () => {
    const times = tree.filter(({ path }) => path.startsWith('src/schedule/times/'));
    expect(times.length).toBeGreaterThan(0);
    for (const { path, files, packages: named } of times) {
      expect(named, path).toEqual([]);
      for (const file of files)
        expect(file, path).toMatch(/^src\/(schedule\/times|protocol|text)\/|^machines\/job\.types\.ts$/);
    }
  });

  it('was read whole: each folder of src is a room with files', () => {
    const rooms = readdirSync(join(root, 'src'), { withFileTypes: true }).filter((entry) =>
      entry.isDirectory(),
    );
    for (const { name } of rooms)
      expect(tree.filter(({ path }) => path.startsWith(`src/${name}/`)).length, name).toBeGreaterThan(0);
    for (const path of tree.flatMap(({ files }) => files))
      expect(existsSync(join(root, path)), path).toBe(true);
  });
});

describe('import directions', () => {
  it.each(forbidden(rows).filter(([from]) => from !== 'index'))('%s may not import %s', (from, to) => {
    expect(planted(...between(from, to))).toHaveLength(1);
  });

  it('index may not import what stands above it', () => {
    expect(planted('src/index.ts', './cli/main.ts')).toHaveLength(1);
    expect(planted('src/index.ts', './runtime/create-detent.ts')).toEqual([]);
  });

  it('allow a room what stands below it', () => {
    const general = allowed(rows).filter(([from]) => from !== 'index' && !Object.hasOwn(only, from));
    for (const [from, to] of general) expect(planted(...between(from, to)), `${from} ${to}`).toEqual([]);
  });

  it.each(
    Object.entries(inside).flatMap(([room, list]) =>
      forbidden(list).map(([from, to]) => [room, from, to] as const),
    ),
  )('within %s, %s may not import %s', (room, from, to) => {
    expect(planted(`${folder(room)}/${from}/planted.ts`, `../${to}/x.ts`)).toHaveLength(1);
  });

  it.each(Object.entries(only))('%s may import of other rooms only %s', (from, named) => {
    for (const [, to] of allowed(rows).filter(([room]) => room === from))
      expect(planted(...between(from, to)), to).toHaveLength(named.includes(to) ? 0 : 1);
  });

  it('refuse a room, or a part of a room, that the list does not name', () => {
    expect(planted('src/attic/planted.ts', '../protocol/error.ts')).toHaveLength(1);
    expect(planted('src/agent/attic/planted.ts', '../prompt/fit.ts')).toHaveLength(1);
  });

  it.each(Object.keys(packages))('%s imports the packages of its line and no others', (room) => {
    const file = `${folder(room)}/planted.ts`;
    expect(planted(file, room === 'text' ? 'node:http' : 'node:fs')).toHaveLength(1);
    expect(planted(file, 'kysely')).toHaveLength(1);
    for (const name of packages[room] ?? []) expect(planted(file, name), name).toEqual([]);
  });

  it('hold for imports that load later, and for what is exported on', () => {
    const file = 'src/engine/planted.ts';
    expect(
      violations([readSource(file, "const late = await import('../agent/run-host.ts');\n")]),
    ).toHaveLength(1);
    expect(violations([readSource(file, "export { x } from '../agent/run-host.ts';\n")])).toHaveLength(1);
    expect(
      violations([readSource(file, "import {\n  a,\n  type B,\n} from '../agent/run-host.ts';\n")]),
    ).toHaveLength(1);
  });
});

describe('the doors of a room', () => {
  const reasons = (file: string, text: string) =>
    violations([readSource(file, text)]).map(({ reason }) => reason);
  const behind = 'other rooms import what lies at the top of agent, not what lies in its folders';

  it('are what lies at its top: another room may not import what lies in its folders, now or later', () => {
    const file = 'src/runs/planted.ts';
    expect(reasons(file, "import { x } from '../agent/prompt/fit.ts';\n")).toEqual([behind]);
    expect(reasons(file, "const x = await import('../agent/prompt/fit.ts');\n")).toEqual([behind]);
    expect(reasons(file, "export type { X } from '../agent/prompt/fit.ts';\n")).toEqual([behind]);
    expect(reasons(file, "import { x } from '../agent/run-host.ts';\n")).toEqual([]);
  });

  it('bind the main face of the package, too', () => {
    expect(reasons('src/index.ts', "export { x } from './agent/prompt/fit.ts';\n")).toEqual([behind]);
  });

  it('may show every part of the room, as long as no file of the room imports them', () => {
    const [door, inner] = ["export { x } from './prompt/fit.ts';\n", "import { x } from '../run-host.ts';\n"];
    const planted = [readSource('src/agent/run-host.ts', door)];
    expect(violations(planted)).toEqual([]);
    const circle = [...planted, readSource('src/agent/hooks/planted.ts', inner)];
    expect(violations(circle).map(({ file }) => file)).toContain('src/agent/hooks/planted.ts');
  });

  it.each(published)('do not hide %s, which the package publishes', (path) => {
    expect(reasons('src/cli/planted.ts', `import { x } from '../${path.slice(4)}';\n`)).toEqual([]);
  });

  it.each(['agent', 'protocol', 'store'])('are counted: %s', (room) => {
    const most = doors[room] ?? doors.others;
    const files = Array.from({ length: most }, (_, index) => readSource(`src/${room}/file-${index}.ts`, ''));
    expect(violations(files)).toEqual([]);
    expect(violations([...files, readSource(`src/${room}/one-more.ts`, '')])).toMatchObject([
      { imports: `src/${room}`, reason: `${most + 1} files lie at the top of ${room}, and ${most} may` },
    ]);
  });
});

describe('the alias of src', () => {
  it('counts as the path that it stands for', () => {
    const file = 'web/src/pages/chat/planted.ts';
    expect(planted(file, '#src/engine/engine.ts')).toEqual(planted(file, '../../../../src/engine/engine.ts'));
    expect(planted(file, '#src/engine/engine.ts')).toHaveLength(1);
    expect(planted(file, '#src/protocol/json.ts')).toEqual([]);
    expect(planted('src/text/planted.ts', '#src/protocol/json.ts')).toHaveLength(1);
  });

  it('is refused by any other name', () => {
    expect(planted('web/src/planted.ts', '#attic/x.ts')).toHaveLength(1);
  });
});

describe('a circle', () => {
  it('is found between files, however long it is', () => {
    const circle = [
      readSource('src/text/a.ts', "import { b } from './b.ts';\n"),
      readSource('src/text/b.ts', "import type { C } from './c.ts';\n"),
      readSource('src/text/c.ts', "export { a } from './a.ts';\n"),
    ];
    expect(figures(circle).circles).toEqual([['src/text/a.ts', 'src/text/b.ts', 'src/text/c.ts']]);
  });
});
