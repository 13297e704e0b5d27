import { existsSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import type { Plugin } from 'rolldown';
import { parseAst } from 'rolldown/parseAst';

/**
 * Imports past the doors of rooms: a door is a file that only shows what other files have. Whoever imports one name of it loads
 * just the file with that name, so that a start reads as little as without doors.
 *
 * @param published the modules that are files of their own in the package: they are loaded as they are.
 */
export function importPastDoors(published: readonly string[]): Plugin {
  const own = new Set(published);
  const known: Doors = new Map();
  return {
    name: 'doors of rooms',
    load: {
      filter: { id: /[\\/](src|machines)[\\/].*\.ts$/ },
      handler: (id) => ({ code: pastDoors(readFileSync(id, 'utf8'), id, known, own), moduleType: 'ts' }),
    },
  };
}

interface Statement {
  type: string;
  source?: { value: string } | null;
  specifiers?: readonly Specifier[];
  importKind?: 'type' | 'value';
  exportKind?: 'type' | 'value';
}

interface Specifier {
  type: string;
  imported?: { name: string };
  local: { name: string };
  exported?: { name: string };
  importKind?: 'type' | 'value';
  exportKind?: 'type' | 'value';
}

/** A name of a door: the file that has it, relative to the door, and its name there. */
interface Shown {
  from: string;
  name: string;
}

/** What was read of each file: many import the same one. */
export type Doors = Map<string, ReadonlyMap<string, Shown> | null>;

/** An import that loads later, with the names that are taken of it, where they stand beside it. */
const later =
  /(?:\{([^{}]*)\}\s*=\s*await\s+|\(await\s+)?\bimport\(\s*'(\.[^']+)'\s*\)(?:\)\.(\w+)|\.then\(\(\{([^{}]*)\}\))?/g;

/** A type that the compiler printed in place. */
const inPlace = /\bimport\("(\.[^"]+)"\)\.(\w+)/g;

/**
 * The text of a module, with each name imported from the file that has it. Every line stays in its place.
 *
 * @param known what was read of files before, which this adds to.
 * @param published paths of files that are no doors, whatever they show.
 */
export function pastDoors(
  code: string,
  path: string,
  known: Doors,
  published: ReadonlySet<string> = new Set(),
): string {
  const shownBy = (specifier: string) => {
    const file = fileOf(path, specifier);
    if (!known.has(file)) known.set(file, published.has(file) ? null : namesOf(file));
    return known.get(file);
  };
  const direct = code.replace(ofOtherFile, (text, specifier: string) => {
    const names = shownBy(specifier);
    if (!names) return text;
    const lines = '\n'.repeat(text.split('\n').length - 1);
    return (
      statementsOf(text, path)
        .map((one) => directly(one, path, names))
        .join(' ') + lines
    );
  });
  return direct
    .replace(inPlace, (whole, specifier: string, name: string) => {
      const shown = shownBy(specifier)?.get(name);
      return shown ? `import("${between(path, specifier, shown)}").${shown.name}` : whole;
    })
    .replace(later, (whole, before = '', specifier: string, member = '', after = '') => {
      const names = shownBy(specifier);
      const taken = `${before},${member},${after}`.split(',').map((one) => one.split(':')[0]?.trim() ?? '');
      const shown = taken.filter((name) => name !== '').map((name) => names?.get(name));
      const [first] = shown;
      const isOne = first !== undefined && shown.every((one) => one?.from === first.from);
      return isOne ? whole.replace(specifier, between(path, specifier, first)) : whole;
    });
}

/** One statement with a door as a statement for each name, of the file that has it. */
function directly(statement: Statement, path: string, names: ReadonlyMap<string, Shown>): string {
  const { type, source, specifiers = [] } = statement;
  const specifier = source?.value ?? '';
  const said = specifiers.map((one) => {
    const taken = (one.imported ?? one.local).name;
    const shown = names.get(taken);
    if (!shown) throw new Error(`${path} imports ${taken} of ${specifier}, which does not show it`);
    const kind = [statement.importKind, statement.exportKind, one.importKind, one.exportKind].includes(
      'type',
    );
    const name = (one.exported ?? one.local).name;
    const word = type === 'ImportDeclaration' ? 'import' : 'export';
    return `${word} ${kind ? 'type ' : ''}{ ${shown.name} as ${name} } from '${between(path, specifier, shown)}';`;
  });
  return said.join(' ');
}

/**
 * An import or export of names of another file of this package. Only those are parsed: the trees of all code took a build half
 * of its processor time.
 */
const ofOtherFile = /^(?:import|export)\b[^;'"]*\bfrom\s*['"](\.[^'"]*)['"];?/gm;

const statementsOf = (code: string, path: string) =>
  parseAst(code, { lang: path.endsWith('.d.ts') ? 'dts' : 'ts' }, path).body as unknown as Statement[];

/** `./a.ts` is the file `a.ts`, or `a.d.ts` beside a file of types. */
function fileOf(path: string, specifier: string): string {
  const file = join(dirname(path), specifier);
  return path.endsWith('.d.ts') ? file.replace(/\.[jt]s$/, '.d.ts') : file;
}

/** From a module to the file behind a door that it names so. */
function between(path: string, specifier: string, { from }: Shown): string {
  const door = dirname(join(dirname(path), specifier));
  const way = relative(dirname(path), join(door, from)).replaceAll('\\', '/');
  return way.startsWith('.') ? way : `./${way}`;
}

const comment = /\/\*[\s\S]*?\*\/|\/\/.*/g;

/** What a door shows; null for a file with code of its own. */
function namesOf(path: string): ReadonlyMap<string, Shown> | null {
  if (!path.endsWith('.ts') || !existsSync(path)) return null;
  const code = readFileSync(path, 'utf8');
  const rest = code.replace(ofOtherFile, (text) => (/^export (?:type )?\{/.test(text) ? '' : text));
  if (rest.replace(comment, '').trim() !== '') return null;
  const names = statementsOf(code, path).flatMap(({ source, specifiers = [] }) =>
    specifiers.map((one) => {
      const shown = { from: source?.value ?? '', name: one.local.name };
      return [(one.exported ?? one.local).name, shown] as const;
    }),
  );
  return new Map(names);
}
