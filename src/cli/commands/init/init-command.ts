import { existsSync, lstatSync, mkdirSync, realpathSync, statSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { delimiter, dirname, join, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { defaultModel } from '../../../models/catalogue.ts';
import { DetentError, messageOf } from '../../../protocol/error.ts';
import { isSource, ownFile } from '../../../text/files.ts';
import { shellWord } from '../../../text/wording.ts';
import { keepingTrust } from '../../../trust/agreements.ts';
import { readRegularFile } from '../../../trust/code.ts';
import { type Flags, usage } from '../../settings/flags.ts';
import { openFolder } from '../../settings/load-options.ts';
import { exit } from '../../terminal/exit-codes.ts';
import type { Io } from '../../terminal/io.ts';
import { hasNodeTest, lacking, type PlannedFile, planFiles, testFile, workflowFile } from './plan.ts';
import type { ConfigLanguage } from './render-config.ts';

/** `detent init [DIR]`: a configuration, a tool, a workflow and a test to begin with. */
export async function initCommand(words: readonly string[], flags: Flags, io: Io): Promise<number> {
  const language = languageOf(flags);
  const folder = io.path(words[0] ?? '.');
  const force = flags.force === true;
  if (statSync(folder, { throwIfNoEntry: false })?.isDirectory() === false)
    throw usage(`${folder} is not a folder; name another one`);
  let files: PlannedFile[] = [];
  const isWritten = ({ content }: PlannedFile) => content !== undefined;
  await keepingTrust(
    folder,
    io.env,
    () => openFolder({ workspace: folder }, io, io.env),
    () =>
      inFolder(folder, () => {
        files = planFiles(language, (path) => readIfThere(join(folder, path)), force);
        for (const file of files.filter(isWritten)) write(folder, file, force);
        return files.filter(isWritten).map(({ path }) => join(folder, path));
      }),
  );
  io.out(`${report(files)}\n`);
  io.out(
    files.some(isWritten)
      ? `\n${nextSteps(folder, language, io)}\n`
      : '\nnothing to do: the folder has its configuration\n',
  );
  return exit.ok;
}

function languageOf(flags: Flags): ConfigLanguage {
  const named = (['ts', 'yaml', 'json'] as const).filter((language) => flags[language]);
  if (named.length > 1) throw usage('--ts, --yaml and --json exclude each other');
  return named[0] ?? 'ts';
}

function readIfThere(file: string): string | undefined {
  return existsSync(file) ? readRegularFile(file).toString('utf8') : undefined;
}

function write(folder: string, { path, content = '', note }: PlannedFile, force: boolean): void {
  const file = join(folder, path);
  mkdirSync(dirname(file), { recursive: true });
  refuseLink(folder, file);
  // With 'wx' the write fails if another process has created the file meanwhile.
  const isNew = note === 'new' && !force;
  writeFileSync(file, content, { flag: isNew ? 'wx' : 'w' });
}

/** The folder may be another person's: a link in it must not lead what is written to somewhere else. */
function refuseLink(folder: string, file: string): void {
  const away = relative(realpathSync(folder), realpathSync(dirname(file)));
  if (!away.startsWith('..') && !lstatSync(file, { throwIfNoEntry: false })?.isSymbolicLink()) return;
  throw usage(`${file} is a link to somewhere else; move it away first`);
}

/** @throws DetentError `NOT_WRITABLE` for errors of the file system. */
function inFolder<T>(folder: string, work: () => T): T {
  try {
    return work();
  } catch (error) {
    if (DetentError.is(error)) throw error;
    throw new DetentError(
      'NOT_WRITABLE',
      `cannot set up ${folder}: ${messageOf(error)}; make it writable, or name another folder`,
      { details: { folder }, cause: error },
    );
  }
}

function report(files: readonly PlannedFile[]): string {
  const width = Math.max(...files.map(({ path }) => path.length));
  return files
    .map(
      ({ path, content, note }) =>
        `${content === undefined ? 'kept ' : 'wrote'}  ${path.padEnd(width)}  ${note}`,
    )
    .join('\n');
}

/** Each step works as it is printed, with and without a key. */
function nextSteps(folder: string, language: ConfigLanguage, { cwd, env, program }: Io): string {
  const away = relative(cwd, folder);
  const isDemo = defaultModel(env) === 'demo/demo';
  // The demo knows no weather.
  const question = language === 'ts' && !isDemo ? 'Do I need an umbrella in Oslo?' : 'What is 17 * 23?';
  const agent = isDemo ? 'a demo answers by fixed rules; set OPENAI_API_KEY for a model' : 'the agent';
  // In a clone, `npm run` works in the folder of the clone.
  const place = program.startsWith('npm run') ? ` --workspace ${shellWord(folder)}` : '';
  const manifest = readIfThere(join(folder, 'package.json')) ?? '';
  const missing = lacking(manifest);
  const compiler = ['typescript', '@types/node'].filter(
    (name) => !canResolve(folder, `${name}/package.json`),
  );
  const isOwnTest = hasNodeTest(manifest) || missing.some((field) => field.startsWith('scripts.'));
  // npm finds the Node that npx has found.
  const npmTest = isOwnTest && (program.startsWith('npx') || nodeCommand(env) === 'node');
  const has = (path: string) => existsSync(join(folder, path));
  const all: [isOffered: boolean, command: string, about: string][] = [
    [away !== '' && place === '', `cd ${shellWord(away)}`, ''],
    [true, `${program} run${place} "${question}"`, agent],
    [
      has(workflowFile),
      `${program} workflow start${place} purchase`,
      'a statechart that asks you; it needs no model',
    ],
    [place !== '', `cd ${shellWord(folder)}`, ''],
    [!canResolve(folder, 'detent/testing'), installation(), 'so that programs and tests find detent'],
    [missing.length > 0, `npm pkg set ${missing.join(' ')}`, 'so that npm test runs the test'],
    [
      has(testFile),
      npmTest ? 'npm test' : `${nodeCommand(env)} --test`,
      'the test of the agent, which needs no key',
    ],
    [
      compiler.length > 0 && has('tsconfig.json'),
      `npm install --save-dev ${compiler.join(' ')}`,
      'so that npx tsc checks the types',
    ],
    [place === '', `${program} doctor`, 'check the setup'],
  ];
  const steps = all.filter(([isOffered]) => isOffered).map(([, command, about]) => [command, about] as const);
  const width = Math.max(...steps.map(([command]) => command.length));
  const lines = steps.map(([command, about]) =>
    `  ${command.padEnd(width)}${about && `  # ${about}`}`.trimEnd(),
  );
  return ['Next:', ...lines].join('\n');
}

/** This Node, by name where the person's shell finds the same; a clone brings one of its own. */
function nodeCommand({ PATH = '' }: Io['env']): string {
  const folders = PATH.split(delimiter).filter((folder) => !/[\\/]node_modules[\\/]\.bin$/.test(folder));
  const found = folders.map((folder) => join(folder, 'node')).find((file) => existsSync(file));
  const isSame = found !== undefined && realpathSync(found) === realpathSync(process.execPath);
  return isSame ? 'node' : shellWord(process.execPath);
}

function canResolve(folder: string, module: string): boolean {
  try {
    createRequire(join(folder, 'package.json')).resolve(module);
    return true;
  } catch {
    return false;
  }
}

/** The command that installs this program in the folder, from where it is: Detent is in no registry. */
function installation(): string {
  const root = resolve(fileURLToPath(ownFile('.')));
  const install = `npm install ${shellWord(root)}`;
  return isSource ? `npm run --prefix ${shellWord(root)} build && ${install}` : install;
}
