import { existsSync, statSync } from 'node:fs';
import { resolve } from 'node:path';
import type { DetentOptions } from '../options.ts';
import { DetentError } from '../protocol/error.ts';
import { loadConfig } from './config-file.ts';
import { type Flags, text } from './flags.ts';
import { complain } from './say.ts';

/** What a command works with: the file of the database is always named, and absolute. */
export type CliOptions = DetentOptions & { workspace: string; database: { file: string } };

const memory = ':memory:';

/**
 * What the command line and the workspace's configuration file make together.
 *
 * @throws DetentError `INVALID_CONFIG`, or `NOT_FOUND` when there is no such workspace.
 */
export async function loadOptions(flags: Flags): Promise<CliOptions> {
  const workspace = resolve(text(flags, 'workspace') ?? '.');
  if (!statSync(workspace, { throwIfNoEntry: false })?.isDirectory())
    throw new DetentError('NOT_FOUND', `there is no folder ${workspace}; make it, or name another workspace`);
  const config = await loadConfig(workspace);
  const key = text(flags, 'api-key-env');
  return {
    ...config,
    workspace,
    database: { ...config.database, file: databaseFile(flags, workspace, config.database?.file) },
    secrets: [...(config.secrets ?? []), ...(key ? [key] : [])],
    onError: complain,
  };
}

/** A path on the command line counts from here, one in the configuration from the workspace. */
function databaseFile(flags: Flags, workspace: string, configured: string | undefined): string {
  const named = text(flags, 'db');
  if (named !== undefined) return named === memory ? memory : resolve(named);
  if (configured === memory) return memory;
  return resolve(workspace, configured ?? '.detent/detent.db');
}

/** @throws DetentError `NOT_FOUND` when the workspace has no database, so that looking for a run makes none. */
export function requireDatabase(options: CliOptions, runId: string): void {
  if (hasDatabase(options)) return;
  throw new DetentError('NOT_FOUND', `no run "${runId}": there is no database ${options.database.file} yet`);
}

export function hasDatabase({ database }: CliOptions): boolean {
  return existsSync(database.file);
}
