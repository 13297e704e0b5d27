import { existsSync, statSync } from 'node:fs';
import { userInfo } from 'node:os';
import { resolve } from 'node:path';
import { DetentError } from '../../protocol/error.ts';
import { isObject, type Variables } from '../../protocol/json.ts';
import {
  type Config,
  type ConfigOrigins,
  type DetentOptions,
  databaseFile,
  inMemory,
  type SetField,
} from '../../runtime/config.ts';
import { watchingTools } from '../../trust/agreements.ts';
import { machineEntries, machineModules } from '../../trust/code.ts';
import {
  type AgreedCode,
  type ConfigSource,
  judgeFolder,
  type SurveyedFolder,
} from '../../trust/judge-folder.ts';
import type { Io } from '../terminal/io.ts';
import { shellWord } from '../terminal/shell-word.ts';
import { requireTrust, requireTrustedDatabase, trustsAll } from '../trust/require-trust.ts';
import { contentOf, findConfig, loadConfig, readSource } from './config-file.ts';
import { type Flags, text } from './flags.ts';
import type { MachineFile } from './machine-files.ts';
import { type ServerPlace, serverOf } from './server.ts';
import { databaseVariable, hasVariables, variableOf } from './variable-names.ts';

/**
 * Where a person watches, the demo's answer streams for a tenth of a second, to show what streaming is. The tour does so everywhere:
 * it shows what happens while a run works, also to a person who kills a run that writes to a file.
 */
export const demoPieceDelayMs = 10;

/** The options of a command; the path of the database is always set, and absolute. */
export type CliOptions = DetentOptions & {
  /** The gateway that the command speaks to; then nothing of a workspace is read. */
  server?: ServerPlace;
  /** The name or id of the tenant that the command is about. Default: tenant 1. */
  tenant?: string;
  workspace: string;
  /** With `url`, runs are on that server, and `file` is `:memory:`. */
  database: { file: string; url?: string };
  env: Record<string, string | undefined>;
  /** The modules of the workspace's `machines/`, loaded. Only their code acts, so it comes after the agreement to it. */
  machines?(): Promise<readonly MachineFile[]>;
};

/** Where a configuration says that the database is. */
interface NamedDatabase {
  file?: string | undefined;
  url?: string | undefined;
}

/** The options of a command, and their sources. */
export interface Settings {
  options: CliOptions;
  /** The configuration file; null when there is none. */
  file: string | null;
  /** The content of the file without variables filled in by `env`, unchecked. */
  configured(env: Variables): Promise<unknown>;
  /** The fields that variables set. */
  variables: readonly SetField[];
}

/**
 * The options from the command line, variables and the workspace's configuration file.
 *
 * @throws DetentError `INVALID_CONFIG`, or `NOT_FOUND` when there is no such workspace.
 */
export async function loadOptions(flags: Flags, io: Io): Promise<CliOptions> {
  const server = serverOf(flags, io);
  if (server !== null) {
    io.hintWith({ of: 'server', typed: server.flags });
    return { server, workspace: io.cwd, database: { file: '' }, env: io.env, onError: io.complain };
  }
  const { options } = await loadSettings(flags, io);
  const tenant = text(flags, 'tenant');
  if (tenant === undefined) return options;
  io.hintWith({ of: 'tenant', typed: `--tenant ${shellWord(tenant)}` });
  return { ...options, tenant };
}

/**
 * As {@link loadOptions}, with the source of each option.
 *
 * @param env replaces the environment, where some variables must be ignored
 * @throws DetentError as {@link loadOptions} does.
 */
export async function loadSettings(flags: Flags, io: Io, env: Variables = io.env): Promise<Settings> {
  const opened = await openFolder(flags, io, env);
  const { workspace, config: source } = opened;
  const isFlagSet = flags.trust === true;
  // Nothing of an invalid file acts: its error needs no agreement.
  if (source?.isModule === false && source.fault) throw source.fault;
  // Nothing of the folder acts before this.
  const agreed = await requireTrust(opened, isFlagSet, io);
  const configured = source === null ? {} : await loadConfig(source, env, agreed);
  const { config, variables } = hasVariables(env)
    ? await withVariables(configured, env, io)
    : { config: configured, variables: [] };
  const { file: database, ...onServer } = databaseOf(flags, io.cwd, workspace, config.database);
  await requireTrustedDatabase({ ...opened, database }, isFlagSet, io);
  const key = text(flags, 'api-key-env');
  const path = source?.path ?? null;
  const read = async (variables: Variables) => (source === null ? {} : contentOf(source, variables, agreed));
  const typed = text(flags, 'model') ?? (env.DETENT_MODEL || undefined);
  const options = {
    ...config,
    ...(await scriptOf(typed ?? config.model, config, typed === undefined ? workspace : io.cwd)),
    workspace,
    database: { ...settingsOf(config.database), file: database, ...onServer },
    env: io.env,
    secrets: [...(config.secrets ?? []), ...(key ? [key] : [])],
    guardedFiles: await agreedCodeOf(source, agreed, workspace),
    whileWriting: watchingTools(workspace, io.env, async () => ({ ...(await opened.again()), database })),
    machines: machinesOf(workspace, agreed),
    ...(agreed && { mcpFile: agreed.mcpFile }),
    origins: { file: path, read, ...setOutside(flags, variables, database) },
    onError: io.complain,
    actor: `cli:${osUser()}`,
    ...(io.stdout.isTTY && { demoPieceDelayMs }),
    demoTourDelayMs: demoPieceDelayMs,
  };
  return {
    options,
    file: path,
    configured: read,
    variables,
  };
}

/** What a configuration says of a database, but for its place. */
function settingsOf({ file: _, url: __, ...settings }: NonNullable<Config['database']> = {}) {
  return settings;
}

/**
 * For `script/FILE`: the model that says the answers of that file, and of no other. A provider of that name takes precedence.
 *
 * @param folder where a relative FILE lies: the workspace whose configuration names it, or where the command was typed
 */
async function scriptOf(
  model: string | undefined,
  { models }: Config,
  folder: string,
): Promise<Pick<Config, 'models'>> {
  if (!model?.startsWith('script/') || models?.script) return {};
  const { scriptFile } = await import('../../testing/script-file.ts');
  return { models: { ...models, script: await scriptFile(model.slice('script/'.length), folder) } };
}

/** Whoever types, as the machine knows them; a process may run for nobody that it knows. */
function osUser(): string {
  try {
    return userInfo().username;
  } catch {
    return String(process.getuid?.() ?? 'unknown');
  }
}

/** The fields that variables and flags set. The path of the database is absolute by now. */
function setOutside(
  flags: Flags,
  variables: readonly SetField[],
  database: string,
): Pick<ConfigOrigins, 'variables' | 'flags'> {
  const db = { flag: 'db', value: database };
  return {
    variables: variables.map((field) =>
      field.path === 'database.file' ? { ...field, value: database } : field,
    ),
    flags: text(flags, 'db') === undefined ? {} : { 'database.file': db },
  };
}

/** A configuration with the fields that variables set, checked. */
async function withVariables(
  configured: Config,
  env: Variables,
  io: Io,
): Promise<{ config: Config; variables: SetField[] }> {
  const { applyVariables, fieldsFromVariables, misspeltVariables } = await import('./variables.ts');
  const variables = fieldsFromVariables(env);
  for (const problem of misspeltVariables(env)) io.say(`detent: ${problem}`);
  // DETENT_MODEL is part of the run's request, like --model: commands without a run must not fail on an unknown model.
  const applied = variables.filter(({ path }) => path !== 'model');
  const config = applyVariables(configured, applied);
  const names = applied.map(({ variable }) => variable).join(', ');
  if (names === '') return { config, variables };
  const { validateConfig } = await import('../../runtime/settings.ts');
  return { config: validateConfig(config, `the configuration with ${names}`), variables };
}

/**
 * The options for completion, which asks no questions and executes nothing: without the configuration when it is a
 * module.
 *
 * @throws DetentError `NOT_TRUSTED`, and as {@link loadOptions} does.
 */
export async function optionsWithoutCode(flags: Flags, io: Io): Promise<CliOptions> {
  const opened = await openFolder(flags, io, io.env);
  const { workspace, config: source } = opened;
  const isTrusted = trustsAll(false, io) || (await judgeFolder(opened)).isTrusted;
  if (!isTrusted) throw new DetentError('NOT_TRUSTED', `${workspace} is not trusted`);
  const config = source && !source.isModule ? await loadConfig(source, io.env, null) : {};
  const database = databaseOf(flags, io.cwd, workspace, await expectedDatabase(source, io.env));
  return { ...config, workspace, database: { ...config.database, ...database }, env: io.env };
}

/** What is to be judged before any of it acts. */
export async function openFolder(flags: Flags, io: Io, env: Variables): Promise<SurveyedFolder> {
  const workspace = workspaceOf(flags, io.cwd);
  const file = findConfig(workspace);
  const config = file === null ? null : await readSource(file);
  const database = databaseOf(flags, io.cwd, workspace, await expectedDatabase(config, env));
  return { workspace, config, database: database.file, env: io.env, again: () => openFolder(flags, io, env) };
}

/**
 * The database that the configuration will most likely name, so that one question covers both. A module says for certain
 * only when it runs; if it names another one then, that one is asked about.
 */
async function expectedDatabase(source: ConfigSource | null, env: Variables): Promise<NamedDatabase> {
  const file = env[variableOf({ path: 'database.file' })];
  if (file) return { file };
  const url = env[variableOf({ path: 'database.url' })] || env[databaseVariable];
  if (url) return { url };
  if (source?.isModule === false)
    return {
      file: textAt(source.value, ['database', 'file']),
      url: textAt(source.value, ['database', 'url']),
    };
  const text = source?.bytes.toString('utf8') ?? '';
  if (!text.includes('database')) return {};
  const { literalOfField } = await import('./field-line.ts');
  return {
    file: literalOfField(text, 'database.file') ?? undefined,
    url: literalOfField(text, 'database.url') ?? undefined,
  };
}

function textAt(value: unknown, keys: readonly string[]): string | undefined {
  const found = at(value, keys);
  return typeof found === 'string' ? found : undefined;
}

function at(value: unknown, keys: readonly string[]): unknown {
  return keys.reduce<unknown>((inner, key) => (isObject(inner) ? inner[key] : undefined), value);
}

/** The configuration and what it imports: a tool that changes one of them changes what Detent executes. */
async function agreedCodeOf(
  source: ConfigSource | null,
  agreed: AgreedCode | null,
  workspace: string,
): Promise<string[]> {
  const own = source === null ? [] : [source.path];
  if (agreed) return [...own, ...agreed.files.keys()];
  const entries = [...(source?.isModule ? [source] : []), ...machineEntries(workspace)];
  if (entries.length === 0) return own;
  const { findLocalCode } = await import('../../trust/code.ts');
  return [...own, ...(await findLocalCode(entries)).files.map(({ path }) => path)];
}

/** The workflows of a workspace, loaded when a command first needs them, and once. */
function machinesOf(workspace: string, agreed: AgreedCode | null): CliOptions['machines'] {
  const modules = machineModules(workspace);
  let loading: Promise<MachineFile[]> | null = null;
  return () => {
    if (modules.length === 0) return Promise.resolve([]);
    loading ??= import('./machine-files.ts').then(({ loadMachines }) => loadMachines(modules, agreed));
    return loading;
  };
}

/** @throws DetentError `NOT_FOUND` when there is no such folder. */
export function workspaceOf(flags: Flags, cwd: string): string {
  const workspace = resolve(cwd, text(flags, 'workspace') ?? '.');
  if (statSync(workspace, { throwIfNoEntry: false })?.isDirectory()) return workspace;
  throw new DetentError('NOT_FOUND', `there is no folder ${workspace}; make it, or name another workspace`);
}

/** Paths of the command line are relative to the current folder, those of the configuration to the workspace. */
export function databaseOf(
  flags: Flags,
  cwd: string,
  workspace: string,
  { file, url }: NamedDatabase = {},
): CliOptions['database'] {
  const named = text(flags, 'db');
  if (named !== undefined) return { file: databaseFile(named, cwd) };
  return url === undefined ? { file: databaseFile(file, workspace) } : { file: inMemory, url };
}

/** @throws DetentError `NOT_FOUND` when the workspace has no database, so that looking for a run makes none. */
export function requireDatabase(options: CliOptions, runId: string): void {
  if (hasDatabase(options)) return;
  throw new DetentError('NOT_FOUND', `no run "${runId}": there is no database ${options.database.file} yet`);
}

export function hasDatabase({ database, server }: CliOptions): boolean {
  return server !== undefined || database.url !== undefined || existsSync(database.file);
}
