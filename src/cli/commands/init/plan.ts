import { configNames } from '../../settings/config-file.ts';
import { usage } from '../../settings/flags.ts';
import { agentTest, purchaseMachine, weatherTool } from './examples.ts';
import { type ConfigLanguage, renderConfig } from './render-config.ts';

export const workflowFile = 'machines/purchase.machine.ts';
export const testFile = 'test/agent.test.ts';

/** Reads a file of the folder; undefined when there is none. */
export type ReadFile = (path: string) => string | undefined;

export interface PlannedFile {
  path: string;
  /** New content; undefined leaves the file as it is. */
  content: string | undefined;
  /** What `detent init` does to the file, or why it leaves it. */
  note: string;
}

/**
 * What `detent init` does to each file.
 *
 * A folder with a configuration counts as set up: only `.gitignore` is still updated, because its configuration does not
 * know the example tool. `force` replaces every file.
 *
 * @throws DetentError `USAGE` when a file with other content has the name of one that it would write.
 */
export function planFiles(language: ConfigLanguage, read: ReadFile, force: boolean): PlannedFile[] {
  const config = `detent.config.${language}`;
  const present = configNames.filter((name) => read(name) !== undefined);
  const others = present.filter((name) => name !== config);
  if (force && others.length > 0)
    throw usage(`${others.join(', ')} exists, and there can be only one configuration; move it away first`);
  const files = ownFiles(language);
  const isSetUp = present.length > 0 && !force;
  if (!isSetUp && !force) refuseForeign(files, read);
  return [
    ...files.map(([path, content]) => planFile(path, content, read(path), isSetUp, force)),
    ...present.filter((name) => isSetUp && name !== config).map((path) => kept(path, 'there already')),
    planPackage(read, isSetUp),
    planCompiler(read('tsconfig.json'), isSetUp),
    planIgnore(read('.gitignore')),
  ].filter((file) => file !== null);
}

/** The configuration comes last: a folder that has one is complete, also after a crash. */
function ownFiles(language: ConfigLanguage): [path: string, content: string][] {
  return [
    ...(language === 'ts' ? [['tools/weather.ts', weatherTool] as [string, string]] : []),
    [workflowFile, purchaseMachine],
    [testFile, agentTest(language)],
    [`detent.config.${language}`, renderConfig(language)],
  ];
}

function planFile(
  path: string,
  content: string,
  before: string | undefined,
  isSetUp: boolean,
  force: boolean,
): PlannedFile | null {
  if (before === content) return kept(path, 'there already');
  if (before === undefined) return isSetUp ? null : { path, content, note: 'new' };
  return force ? { path, content, note: 'replaced' } : kept(path, 'exists already; --force replaces it');
}

function refuseForeign(files: readonly [string, string][], read: ReadFile): void {
  const foreign = files.filter(([path, content]) => ![undefined, content].includes(read(path)));
  if (foreign.length === 0) return;
  const names = foreign.map(([path]) => path).join(', ');
  throw usage(`${names}: exists already, with different content; move it away, or replace it with --force`);
}

const newPackage = { private: true, type: 'module', scripts: { test: 'node --test' } };

/** Without `"type": "module"` Node has to guess the module type, and warns at each start. */
function planPackage(read: ReadFile, isSetUp: boolean): PlannedFile {
  const path = 'package.json';
  const before = read(path);
  if (before === undefined) return { path, content: json(newPackage), note: 'new' };
  const manifest = manifestOf(before);
  const there = manifest === null ? 'exists already, but is not a JSON object' : 'there already';
  if (manifest === null || isSetUp) return kept(path, there);
  // Node would read a program without a type that is CommonJS as a module from then on.
  const hasProgram = read(String(manifest.main ?? 'index.js')) !== undefined;
  const lacksType = manifest.type === undefined && !hasProgram;
  const lacksTest = manifest.scripts?.test === undefined;
  if (!lacksType && !lacksTest) return kept(path, there);
  const content = {
    ...manifest,
    ...(lacksType && { type: newPackage.type }),
    ...(lacksTest && { scripts: { ...manifest.scripts, ...newPackage.scripts } }),
  };
  const added = [...(lacksType ? ['"type": "module"'] : []), ...(lacksTest ? ['the script "test"'] : [])];
  const indent = /^[ \t]+(?=")/m.exec(before)?.[0] ?? 2;
  return { path, content: json(content, indent), note: `added ${added.join(' and ')}` };
}

/** For editors, and for `npx tsc`: Node itself takes the types out of TypeScript, and needs no compiler. */
function planCompiler(before: string | undefined, isSetUp: boolean): PlannedFile | null {
  const path = 'tsconfig.json';
  if (before !== undefined) return kept(path, 'there already');
  if (isSetUp) return null;
  const compilerOptions = {
    target: 'es2024',
    module: 'nodenext',
    strict: true,
    noEmit: true,
    allowImportingTsExtensions: true,
    erasableSyntaxOnly: true,
    verbatimModuleSyntax: true,
    resolveJsonModule: true,
    types: ['node'],
  };
  return { path, content: json({ compilerOptions }), note: 'new' };
}

function json(value: object, indent: string | number = 2): string {
  return `${JSON.stringify(value, null, indent)}\n`;
}

interface Manifest {
  type?: unknown;
  main?: unknown;
  scripts?: Record<string, unknown>;
}

function manifestOf(text: string): Manifest | null {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && !Array.isArray(value) ? value : null;
  } catch {
    return null;
  }
}

/** What a package.json still needs for `npm test` to run the written test, as fields for `npm pkg set`. */
export function lacking(text: string): string[] {
  const { type, scripts } = manifestOf(text) ?? {};
  // What `npm init -y` writes stands for no test.
  const hasTest = scripts?.test !== undefined && !String(scripts.test).includes('no test specified');
  return [
    ...(type === newPackage.type ? [] : ['type=module']),
    ...(hasTest ? [] : ['scripts.test="node --test"']),
  ];
}

/** Whether `npm test` runs the written test. */
export function hasNodeTest(text: string): boolean {
  return manifestOf(text)?.scripts?.test === newPackage.scripts.test;
}

/** Adds what git is to leave out, unless it is listed already. */
function planIgnore(before: string | undefined): PlannedFile {
  const path = '.gitignore';
  const listed = new Set(before?.split(/\r?\n/).map((line) => line.trim().replace(/^(\*\*)?\/|\/$/g, '')));
  const added = ['node_modules', '.detent'].filter((name) => !listed.has(name)).map((name) => `${name}/`);
  if (added.length === 0) return kept(path, 'there already');
  const newline = before?.includes('\r\n') ? '\r\n' : '\n';
  const lines = added.map((line) => line + newline).join('');
  if (before === undefined) return { path, content: lines, note: 'new' };
  const gap = before === '' || before.endsWith('\n') ? '' : newline;
  return { path, content: before + gap + lines, note: `added ${added.join(' and ')}` };
}

function kept(path: string, note: string): PlannedFile {
  return { path, content: undefined, note };
}
