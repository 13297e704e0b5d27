import { existsSync, realpathSync, statSync } from 'node:fs';
import { registerHooks, stripTypeScriptTypes } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { DetentError } from '../../protocol/error.ts';
import { isObject, parseJson } from '../../protocol/json.ts';
import { hex, sha256 } from '../../text/ids.ts';
import { isProgram } from './machine-modules.ts';
import { muteModuleWarnings } from './mute-warnings.ts';
import { type FileBytes, readRegularFile } from './regular-file.ts';

/** A package that the code of a folder imports. */
interface ImportedPackage {
  /** `NAME VERSION`, and where it is. */
  title: string;
  folder: string;
  /** Of its package.json and the imported file. */
  hash: string;
}

/** What the code of a folder consists of, found without executing any of it. */
export interface LocalCode {
  /** The configuration, the machines, and all files that they import, by real path. */
  files: readonly FileBytes[];
  packages: readonly ImportedPackage[];
  /** Imports of a path that only running the code computes, as `FILE:LINE`. */
  computed: readonly string[];
}

const maxFiles = 2_000;
/** What code imports from this program, wherever the code lies. */
const ofDetent = /^(detent(\/(testing|machines|workflow))?|xstate(\/.*)?)$/;
const isCode = /\.[mc]?[jt]s$/;
const isTypeScript = /\.[mc]?ts$/;
const inPackages = /[\\/]node_modules[\\/]/;

/**
 * Finds the code of a folder, through its imports: relative ones, those of the package.json (`#name`), `require`
 * and `import()` of a constant, and packages.
 *
 * @param entries what Detent itself loads, as it was read
 * @throws DetentError `INVALID_CONFIG` when an imported file is not a regular one, or there are too many.
 */
export async function findLocalCode(entries: readonly FileBytes[]): Promise<LocalCode> {
  const lexer = await import('es-module-lexer');
  await lexer.init;
  const resolver = openResolver();
  const restoreWarnings = muteModuleWarnings();
  const files = new Map<string, FileBytes>();
  const packages = new Map<string, ImportedPackage>();
  const computed: string[] = [];
  // The first one is looked at first.
  const waiting: FileBytes[] = entries
    .map(({ path, bytes }) => ({ path: realpathSync(path), bytes }))
    .reverse();

  const follow = (specifier: string, from: string, isRequired: boolean): void => {
    if (ofDetent.test(specifier)) return;
    const path = resolver.resolve(specifier, from, isRequired);
    if (path === null || files.has(path)) return;
    if (inPackages.test(path)) {
      const found = packageOf(path);
      if (found) packages.set(`${found.title} ${found.hash}`, found);
    } else if (!isProgram(path)) waiting.push({ path, bytes: readRegularFile(path) });
  };

  try {
    for (let file = waiting.pop(); file; file = waiting.pop()) {
      if (files.has(file.path)) continue;
      files.set(file.path, file);
      if (files.size > maxFiles)
        throw new DetentError(
          'INVALID_CONFIG',
          `${entries[0]?.path} and what is loaded with it import more than ${maxFiles} files`,
        );
      if (!isCode.test(file.path)) continue;
      for (const found of importsOf(file, lexer.parse)) {
        if (found.specifier === null) computed.push(`${file.path}:${found.line}`);
        else follow(found.specifier, file.path, found.isRequired);
      }
    }
  } finally {
    restoreWarnings();
    resolver.close();
  }
  return {
    files: [...files.values()],
    packages: [...packages.values()].sort((a, b) => (a.title < b.title ? -1 : 1)),
    computed: [...new Set(computed)].sort(),
  };
}

interface FoundImport {
  /** Null when only running the code computes it. */
  specifier: string | null;
  line: number;
  isRequired: boolean;
}

type Parse = typeof import('es-module-lexer')['parse'];

const required = /\brequire\s*(?:\.\s*resolve\s*)?\(\s*(?:'([^'\\\n]*)'|"([^"\\\n]*)"|`([^`\\$\n]*)`)?/g;

function importsOf({ path, bytes }: FileBytes, parse: Parse): FoundImport[] {
  const text = bytes.toString('utf8');
  const lineAt = (offset: number) => text.slice(0, offset).split('\n').length;
  // Comments and texts may look like it: that names a file too many, never one too few.
  const requires = [...text.matchAll(required)].map(({ index, 1: a, 2: b, 3: c }): FoundImport => {
    return { specifier: a ?? b ?? c ?? null, line: lineAt(index), isRequired: true };
  });
  try {
    // In the mode `strip`, blanks take the place of the types: offsets stay.
    const code = isTypeScript.test(path) ? stripTypeScriptTypes(text) : text;
    const [imports] = parse(code);
    // `import.meta` has the marker -2.
    const statics = imports.filter(({ d }) => d !== -2);
    return [
      ...statics.map(({ n, s }) => ({ specifier: n ?? null, line: lineAt(s), isRequired: false })),
      ...requires,
    ];
  } catch {
    // Node cannot load it either, and says why.
    return requires;
  }
}

/** Resolves as Node does when it loads the code, by Node's own resolver. */
function openResolver() {
  const scheme = 'detent-resolve:';
  let asked: { specifier: string; parentURL: string; isRequired: boolean } | null = null;
  const hooks = registerHooks({
    resolve(specifier, context, next) {
      if (specifier !== scheme || asked === null) return next(specifier, context);
      const conditions = asked.isRequired
        ? context.conditions.map((condition) => (condition === 'import' ? 'require' : condition))
        : context.conditions;
      return next(asked.specifier, { ...context, conditions, parentURL: asked.parentURL });
    },
  });
  const attempt = (specifier: string, from: string, isRequired: boolean): string | null => {
    asked = { specifier, parentURL: pathToFileURL(from).href, isRequired };
    try {
      const url = new URL(import.meta.resolve(scheme));
      if (url.protocol !== 'file:') return null;
      const path = fileURLToPath(url);
      return statSync(path, { throwIfNoEntry: false }) ? realpathSync(path) : null;
    } catch {
      return null;
    } finally {
      asked = null;
    }
  };
  /** CommonJS leaves extensions out. */
  const endings = ['', '.js', '.json', '.node', '.ts', '/index.js', '/index.json', '/index.node'];
  return {
    /** The real path of a file; null for a module of Node, and for what is not there. */
    resolve(specifier: string, from: string, isRequired: boolean): string | null {
      for (const ending of isRequired ? endings : ['']) {
        const path = attempt(`${specifier}${ending}`, from, isRequired);
        if (path !== null && !(isRequired && statSync(path).isDirectory())) return path;
      }
      return null;
    },
    close: () => hooks.deregister(),
  };
}

function packageOf(path: string): ImportedPackage | null {
  let folder = dirname(path);
  while (!existsSync(join(folder, 'package.json')) || !hasName(folder)) {
    const above = dirname(folder);
    if (above === folder || !inPackages.test(`${folder}/`)) return null;
    folder = above;
  }
  const description = readRegularFile(join(folder, 'package.json'));
  const { name, version } = Object(parseJson(description.toString('utf8'))) as Record<string, unknown>;
  return {
    title: `${String(name)} ${String(version ?? '')}`.trim(),
    folder,
    hash: hex(sha256(`${hex(sha256(description))} ${hex(sha256(readRegularFile(path)))}`)),
  };
}

/** A package.json without a name only says how the files of its folder are read. */
function hasName(folder: string): boolean {
  try {
    const content = parseJson(readRegularFile(join(folder, 'package.json')).toString('utf8'));
    return isObject(content) && typeof content.name === 'string';
  } catch {
    return false;
  }
}
