import { lstatSync, readdirSync, realpathSync, statSync } from 'node:fs';
import { join, relative } from 'node:path';
import { DetentError } from '../../protocol/error.ts';
import { isObject, parseJson } from '../../protocol/json.ts';
import { hex, sha256 } from '../../text/ids.ts';
import { projectFileName } from '../../tools/mcp.ts';
import type { LocalCode } from '../code/local-code.ts';
import { machineModules, machinesFolder } from '../code/machine-modules.ts';
import { type FileBytes, readRegularFile } from '../code/regular-file.ts';
import { type ForeignPlace, foreignPlaces } from '../places.ts';
import type { Want } from './wants.ts';

/**
 * A configuration file, read once; `value` is what YAML or JSON parsed to, before variables are filled in. `fault` says
 * that it could not be parsed.
 */
export type ConfigSource = FileBytes &
  ({ isModule: true } | { isModule: false; value: unknown; fault?: DetentError });

export interface SurveyedFolder {
  /** As it was named; absolute. */
  workspace: string;
  config: ConfigSource | null;
  /** The database file that commands would open. */
  database: string;
  env: Readonly<Record<string, string | undefined>>;
  /** Reads the folder again, as it is now. */
  again(): Promise<SurveyedFolder>;
  /** Default: in this thread. */
  findCode?(entries: readonly FileBytes[]): Promise<LocalCode>;
}

/** What of a folder acts when Detent works in it. Nothing of it has been executed, opened or obeyed. */
export interface Survey {
  /** The real path. */
  folder: string;
  /** SHA-256 by name: a path relative to the folder, or absolute outside of it; `package …` for a package. */
  files: Readonly<Record<string, string>>;
  /** The text of small files that are configuration. */
  texts: Readonly<Record<string, string>>;
  /** What the files ask for. */
  wants: readonly Want[];
  /** What of `.detent` and the database this user's Detent did not make. */
  places: readonly ForeignPlace[];
  code: LocalCode | null;
  /** `.mcp.json`. */
  mcp: FileBytes | null;
}

/** Longer texts get no diff. */
const maxTextBytes = 64 * 1024;
const maxMachineFiles = 2_000;

/** @throws DetentError `INVALID_CONFIG` for a file that cannot be read. */
export async function surveyFolder({
  workspace,
  config,
  database,
  env,
  findCode,
}: Omit<SurveyedFolder, 'again'>): Promise<Survey> {
  const folder = realpathSync(workspace);
  const project = join(workspace, projectFileName);
  const mcp: FileBytes | null = lstatSync(project, { throwIfNoEntry: false })
    ? { path: project, bytes: readRegularFile(project) }
    : null;
  const entries = [...(config?.isModule ? [config] : []), ...machineEntries(workspace)];
  const code =
    entries.length > 0
      ? await (findCode ?? (await import('../code/local-code.ts')).findLocalCode)(entries)
      : null;
  const isActing = config !== null || mcp !== null || code !== null;
  const found = [
    ...(config ? [config] : []),
    ...(code?.files ?? []),
    ...(mcp ? [mcp] : []),
    ...(isActing ? machines(workspace) : []),
  ];
  const nameOf = (path: string) => nameIn(folder, workspace, path);
  const packages = (code?.packages ?? []).map(
    (it) => [`package ${it.title} (${nameOf(it.folder)})`, it.hash] as const,
  );
  return {
    folder,
    files: Object.fromEntries([
      ...found.map(({ path, bytes }) => [nameOf(path), hex(sha256(bytes))] as const),
      ...packages,
    ]),
    texts: Object.fromEntries(
      [...(config ? [config] : []), ...(code?.files ?? []), ...(mcp ? [mcp] : [])]
        .filter(({ bytes }) => bytes.length <= maxTextBytes)
        .map(({ path, bytes }) => [nameOf(path), bytes.toString('utf8')]),
    ),
    wants: [
      ...wantsOfLinks([config, mcp], folder),
      ...(code ? wantsOfCode(code, nameOf) : []),
      ...(isActing ? await wantsOfFiles(config, mcp) : []),
    ],
    places: await foreignPlaces({ workspace, database, env }),
    code,
    mcp,
  };
}

async function wantsOfFiles(config: ConfigSource | null, mcp: FileBytes | null): Promise<Want[]> {
  const { wantsOfConfig, wantsOfProjectServers } = await import('./wants.ts');
  const servers = mcp === null ? undefined : serversOf(mcp);
  if (config?.isModule === false) return wantsOfConfig(config.value, servers);
  return wantsOfProjectServers({}, servers);
}

function serversOf({ bytes }: FileBytes): unknown {
  const content = parseJson(bytes.toString('utf8').replace(/^\ufeff/, ''));
  return isObject(content) ? content.mcpServers : undefined;
}

function wantsOfCode({ files, packages, computed }: LocalCode, nameOf: (path: string) => string): Want[] {
  return [
    [
      'code',
      `runs with your rights, and decides models, tools and policy: ${files.map(({ path }) => nameOf(path)).join(', ')}`,
    ],
    ...packages.map(({ title, folder }): Want => ['package', `${title}, in ${nameOf(folder)}`]),
    ...computed.map((place): Want => ['code', `loads a file whose name it computes: ${nameOf(place)}`]),
  ];
}

/** A link in the folder to a file elsewhere. */
function wantsOfLinks(files: readonly (FileBytes | null)[], folder: string): Want[] {
  return files.flatMap((file): Want[] => {
    if (file === null || !lstatSync(file.path).isSymbolicLink()) return [];
    return [['link', `${nameIn(folder, folder, file.path)} is ${realpathSync(file.path)}`]];
  });
}

/** The statecharts that Detent loads. */
export function machineEntries(workspace: string): FileBytes[] {
  const files = machineModules(workspace).filter(({ isRegular }) => isRegular);
  if (files.length > maxMachineFiles) throw tooMany(join(workspace, machinesFolder));
  return files.map(({ path }) => ({ path, bytes: readRegularFile(path) }));
}

function tooMany(folder: string): DetentError {
  return new DetentError('INVALID_CONFIG', `${folder} has more than ${maxMachineFiles} files`);
}

/** All that lies beside them, which they may read. */
function machines(workspace: string): FileBytes[] {
  const folder = join(workspace, machinesFolder);
  if (!statSync(folder, { throwIfNoEntry: false })?.isDirectory()) return [];
  const paths = readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .sort();
  if (paths.length > maxMachineFiles) throw tooMany(folder);
  return paths.map((path) => ({ path, bytes: readRegularFile(path) }));
}

function nameIn(folder: string, workspace: string, path: string): string {
  for (const base of [folder, workspace]) {
    const name = relative(base, path);
    if (!name.startsWith('..')) return name;
  }
  return path;
}
