import { existsSync, statSync } from 'node:fs';
import { resolve } from 'node:path';
import { DetentError } from '../../protocol/error.ts';
import type { Variables } from '../../protocol/substitute.ts';
import { databaseFile } from '../../runtime/config/database-file.ts';
import type { DetentOptions } from '../../runtime/config/options.ts';
import { validateConfig } from '../../runtime/config/validate-config.ts';
import type { Io } from '../terminal/io.ts';
import { findConfig, loadConfig } from './config-file.ts';
import { type Flags, text } from './flags.ts';
import { applyVariables, fieldsFromVariables, misspeltVariables, type SetField } from './variables.ts';

/** The options of a command; the path of the database is always set, and absolute. */
export type CliOptions = DetentOptions & {
  workspace: string;
  database: { file: string };
  env: Record<string, string | undefined>;
};

/** The options of a command, and their sources. */
export interface Settings {
  options: CliOptions;
  /** The configuration file; null when there is none. */
  file: string | null;
  /** The fields that variables set. */
  variables: readonly SetField[];
}

/**
 * The options from the command line, variables and the workspace's configuration file.
 *
 * @throws DetentError `INVALID_CONFIG`, or `NOT_FOUND` when there is no such workspace.
 */
export async function loadOptions(flags: Flags, io: Io): Promise<CliOptions> {
  return (await loadSettings(flags, io)).options;
}

/**
 * As {@link loadOptions}, with the source of each option.
 *
 * @param env replaces the environment, where some variables must be ignored
 * @throws DetentError as {@link loadOptions} does.
 */
export async function loadSettings(flags: Flags, io: Io, env: Variables = io.env): Promise<Settings> {
  const workspace = workspaceOf(flags, io.cwd);
  const file = findConfig(workspace);
  const configured = file === null ? {} : await loadConfig(file, env);
  const variables = fieldsFromVariables(env);
  for (const problem of misspeltVariables(env)) io.say(`detent: ${problem}`);
  // DETENT_MODEL is part of the run's request, like --model: commands without a run must not fail on an unknown model.
  const applied = variables.filter(({ path }) => path !== 'model');
  const config = applyVariables(configured, applied);
  const names = applied.map(({ variable }) => variable).join(', ');
  if (names !== '') validateConfig(config, `the configuration with ${names}`);
  const key = text(flags, 'api-key-env');
  const options = {
    ...config,
    workspace,
    database: { ...config.database, file: databaseOf(flags, io.cwd, workspace, config.database?.file) },
    env: io.env,
    secrets: [...(config.secrets ?? []), ...(key ? [key] : [])],
    onError: io.complain,
  };
  return { options, file, variables };
}

/** @throws DetentError `NOT_FOUND` when there is no such folder. */
export function workspaceOf(flags: Flags, cwd: string): string {
  const workspace = resolve(cwd, text(flags, 'workspace') ?? '.');
  if (statSync(workspace, { throwIfNoEntry: false })?.isDirectory()) return workspace;
  throw new DetentError('NOT_FOUND', `there is no folder ${workspace}; make it, or name another workspace`);
}

/** Paths of the command line are relative to the current folder, those of the configuration to the workspace. */
export function databaseOf(flags: Flags, cwd: string, workspace: string, configured?: string): string {
  const named = text(flags, 'db');
  return named === undefined ? databaseFile(configured, workspace) : databaseFile(named, cwd);
}

/** @throws DetentError `NOT_FOUND` when the workspace has no database, so that looking for a run makes none. */
export function requireDatabase(options: CliOptions, runId: string): void {
  if (hasDatabase(options)) return;
  throw new DetentError('NOT_FOUND', `no run "${runId}": there is no database ${options.database.file} yet`);
}

export function hasDatabase({ database }: CliOptions): boolean {
  return existsSync(database.file);
}
