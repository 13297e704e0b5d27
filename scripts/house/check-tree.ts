import { doors, families, inside, only, packages, published, rows } from './directions.ts';
import { circles, floors, type Graph } from './graph.ts';
import type { SourceFile } from './read-tree.ts';

interface Violation {
  file: string;
  imports: string;
  reason: string;
}

/** What the tree looks like in numbers. */
interface Figures {
  files: number;
  medianLines: number;
  p90Lines: number;
  over400Lines: number;
  /** Rooms of the longest chain of imports between rooms. */
  floors: number;
  /** Circles of files. */
  circles: readonly (readonly string[])[];
  /** Imports within a room against the order that `inside` gives it. */
  againstInside: Readonly<Record<string, number>>;
  singleImporter: number;
  /** Files under 40 lines that one file imports, outside of the families. */
  smallSingleImporter: readonly string[];
}

/**
 * `src/agent/prompt/fit.ts` is in the room `agent`; a file at the top of `src` is a room of its own, and so are `machines` and `web`.
 */
export function roomOf(path: string): string {
  const [top = '', room = ''] = path.split('/');
  return top === 'src' ? bare(room) : top;
}

const bare = (name: string) => name.replace(/\.tsx?$/, '');

/** `web/src/parts/rail.tsx` is in the part `parts`. */
const partOf = (path: string) => bare(path.replace(/^web\/src\//, 'src/web/').split('/')[2] ?? '');

const rowOf = (list: readonly (readonly string[])[], name: string) =>
  list.findIndex((row) => row.includes(name));

/** Why the first may not import the second, or null. */
function refusal(list: readonly (readonly string[])[], from: string, to: string): string | null {
  if (from === to) return null;
  const [row, other] = [rowOf(list, from), rowOf(list, to)];
  for (const [index, name] of [
    [row, from],
    [other, to],
  ] as const)
    if (index < 0) return `${name} has no place in scripts/house/directions.ts`;
  if (other > row) return null;
  return other === row ? `${from} and ${to} stand in one row` : `${to} stands above ${from}`;
}

/** Why a room that may import a few others only may not import that one. */
function beyond(room: string, other: string): string | null {
  const list = only[room];
  return !list || room === other || list.includes(other)
    ? null
    : `${room} may import only ${list.join(', ')}`;
}

function allowsPackage(room: string, name: string): boolean {
  const list = packages[room];
  return !list || list.some((allowed) => name === allowed || name.startsWith(`${allowed}/`));
}

/** `src/agent/hooks.ts` is at the top of its room, `src/agent/hooks/run-end.ts` is in a folder of it. */
const isAtTop = (path: string) => path.split('/').length <= 3;

/** Why another room may not import that file, or null. */
function behindDoor(room: string, imports: string): string | null {
  if (room === roomOf(imports) || !imports.startsWith('src/') || isAtTop(imports)) return null;
  return published.includes(imports)
    ? null
    : `other rooms import what lies at the top of ${roomOf(imports)}, not what lies in its folders`;
}

/** The rooms whose face is too wide. */
function wideFaces(tree: readonly SourceFile[]): Violation[] {
  const tops = Map.groupBy(
    tree.filter(({ path }) => /^src\/[^/]+\/[^/]+$/.test(path)),
    ({ path }) => roomOf(path),
  );
  return [...tops].flatMap(([room, { length, 0: first }]) => {
    const most = doors[room] ?? doors.others;
    const reason = `${length} files lie at the top of ${room}, and ${most} may`;
    return length > most && first ? [{ file: first.path, imports: `src/${room}`, reason }] : [];
  });
}

/** Every import that goes against the directions, and every face that is too wide. */
export function violations(tree: readonly SourceFile[]): Violation[] {
  const inRooms = importedInRooms(tree);
  return [...wideFaces(tree), ...tree.flatMap((file) => violationsOf(file, inRooms))];
}

function violationsOf({ path, files, packages: named }: SourceFile, inRooms: Set<string>): Violation[] {
  const room = roomOf(path);
  // A file at the top that its own room does not import may show any part of it.
  const inner = isAtTop(path) && !inRooms.has(path) ? undefined : inside[room];
  const found = files.flatMap((imports): Violation[] => {
    const other = roomOf(imports);
    const reason =
      refusal(rows, room, other) ??
      beyond(room, other) ??
      behindDoor(room, imports) ??
      (inner && room === other ? refusal(inner, partOf(path), partOf(imports)) : null);
    return reason === null ? [] : [{ file: path, imports, reason }];
  });
  const foreign = named
    .filter((name) => !allowsPackage(room, name))
    .map((name) => ({
      file: path,
      imports: name,
      reason: `${room} may import of packages: ${packages[room]?.join(', ') || 'none'}`,
    }));
  return [...found, ...foreign];
}

/** The files that another file of their own room imports. */
const importedInRooms = (tree: readonly SourceFile[]) =>
  new Set(tree.flatMap(({ path, files }) => files.filter((file) => roomOf(file) === roomOf(path))));

export function fileGraph(tree: readonly SourceFile[]): Graph {
  return new Map(tree.map(({ path, files }) => [path, new Set(files)]));
}

function roomGraph(tree: readonly SourceFile[]): Graph {
  const graph = new Map<string, Set<string>>();
  for (const { path, files } of tree) {
    const room = roomOf(path);
    const others = graph.get(room) ?? new Set();
    graph.set(room, others);
    for (const file of files) if (roomOf(file) !== room) others.add(roomOf(file));
  }
  return graph;
}

export function figures(tree: readonly SourceFile[]): Figures {
  const sizes = tree.map(({ lines }) => lines).sort((a, b) => a - b);
  const at = (share: number) => sizes[Math.floor(sizes.length * share)] ?? 0;
  const importers = new Map<string, number>();
  for (const file of tree.flatMap(({ files }) => files)) importers.set(file, (importers.get(file) ?? 0) + 1);
  const single = tree.filter(({ path }) => importers.get(path) === 1);
  const inRooms = importedInRooms(tree);
  const against = Object.entries(inside).map(([room, list]) => {
    const own = tree.filter(({ path }) => roomOf(path) === room);
    const pairs = own.flatMap(({ path, files }) =>
      isAtTop(path) && !inRooms.has(path)
        ? []
        : files
            .filter((file) => roomOf(file) === room)
            .map((file) => refusal(list, partOf(path), partOf(file))),
    );
    return [room, pairs.filter((reason) => reason !== null).length] as const;
  });
  return {
    files: tree.length,
    medianLines: at(0.5),
    p90Lines: at(0.9),
    over400Lines: sizes.filter((lines) => lines > 400).length,
    floors: floors(roomGraph(tree)),
    circles: circles(fileGraph(tree)),
    againstInside: Object.fromEntries(against),
    singleImporter: single.length,
    smallSingleImporter: single
      .filter(({ path, lines }) => lines < 40 && !families.some((folder) => path.startsWith(`${folder}/`)))
      .map(({ path }) => path),
  };
}
