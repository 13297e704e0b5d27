import { configNames } from '../../settings/config-file.ts';
import { usage } from '../../settings/flags.ts';
import { agentTest, purchaseMachine, weatherTool } from './examples.ts';
import { type ConfigLanguage, renderConfig } from './render-config.ts';

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
    throw usage(`there is ${others.join(', ')}, and only one configuration can be; move it away first`);
  const files = ownFiles(language);
  const isSetUp = present.length > 0 && !force;
  if (!isSetUp && !force) refuseForeign(files, read);
  return [
    ...files.map(([path, content]) => planFile(path, content, read(path), isSetUp, force)),
    ...present.filter((name) => isSetUp && name !== config).map((path) => kept(path, 'there already')),
    planPackage(read('package.json')),
    planCompiler(read('tsconfig.json'), isSetUp),
    planIgnore(read('.gitignore')),
  ].filter((file) => file !== null);
}

/** The configuration comes last: a folder that has one is complete, also after a crash. */
function ownFiles(language: ConfigLanguage): [path: string, content: string][] {
  return [
    ...(language === 'ts' ? [['tools/weather.ts', weatherTool] as [string, string]] : []),
    ['machines/purchase.machine.ts', purchaseMachine],
    ['test/agent.test.ts', agentTest(language)],
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
  return force ? { path, content, note: 'replaced' } : kept(path, 'there already; --force replaces it');
}

function refuseForeign(files: readonly [string, string][], read: ReadFile): void {
  const foreign = files.filter(([path, content]) => ![undefined, content].includes(read(path)));
  if (foreign.length === 0) return;
  const names = foreign.map(([path]) => path).join(', ');
  throw usage(`${names}: there already, with something else in it; move it away, or replace it with --force`);
}

/** Without a package.json Node has to guess the module type, and warns at each start. */
function planPackage(before: string | undefined): PlannedFile {
  const path = 'package.json';
  if (before === undefined)
    return {
      path,
      content: json({ private: true, type: 'module', scripts: { test: 'node --test' } }),
      note: 'new',
    };
  return kept(
    path,
    isModule(before) ? 'there already' : 'there already; node --test needs "type": "module" in it',
  );
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

function json(value: object): string {
  return `${JSON.stringify(value, null, 2)}\n`;
}

/** Whether a package.json says that its files are modules. */
export function isModule(text: string): boolean {
  try {
    return (JSON.parse(text) as { type?: unknown } | null)?.type === 'module';
  } catch {
    return false;
  }
}

/** Adds the folder of the database, unless it is listed already. */
function planIgnore(before: string | undefined): PlannedFile {
  const path = '.gitignore';
  const ignored = before?.split(/\r?\n/).some((line) => /^\/?\.detent\/?$/.test(line.trim()));
  if (ignored) return kept(path, 'there already');
  if (before === undefined) return { path, content: '.detent/\n', note: 'new' };
  const newline = before.includes('\r\n') ? '\r\n' : '\n';
  const gap = before === '' || before.endsWith('\n') ? '' : newline;
  return { path, content: `${before}${gap}.detent/${newline}`, note: 'added .detent/' };
}

function kept(path: string, note: string): PlannedFile {
  return { path, content: undefined, note };
}
