import { resolve } from 'node:path';
import { DetentError } from '../../protocol/error.ts';
import { isObject, shown } from '../../protocol/json.ts';
import { databaseFile, databaseUrl, refuseWithoutServer } from './database-file.ts';
import type { DetentOptions } from './detent-options.ts';

/** Checks the options that a configuration file can hold, too. @throws DetentError `INVALID_CONFIG`. */
export async function checkOptions(options: DetentOptions): Promise<void> {
  const config = configOf(options);
  refuseOtherKinds(options);
  refuseUnknownDispatcher(options);
  if (options.drivesRuns === false) refuseWithoutServer(options, 'drivesRuns: false');
  if (needsCheck(config)) (await import('./validate-config.ts')).validateConfig(config, 'createDetent');
  if (options.notify) (await import('./check-notify.ts')).checkNotify(options);
  refuseLogInDatabase(options);
}

/** Lines in a database, or in a file that SQLite keeps beside it, would destroy it. */
function refuseLogInDatabase(options: DetentOptions): void {
  const { log: { file: named } = {}, database, workspace = '.', store } = options;
  if (named === undefined || store !== undefined || databaseUrl(options) !== null) return;
  const file = databaseFile(database?.file, resolve(workspace));
  const ends = ['', '-wal', '-shm', '-journal'];
  if (!ends.some((end) => resolve(workspace, named) === `${file}${end}`)) return;
  throw new DetentError('INVALID_CONFIG', `log.file: ${named} belongs to the database; name another file`);
}

/** Of a program without types: a store that is none would be one in memory, whose runs end with the process. */
function refuseOtherKinds({ store, workspace }: DetentOptions): void {
  if (store !== undefined && store !== 'in-process' && !isObject(store))
    throw new DetentError('INVALID_CONFIG', `store is "in-process" or a Store, not ${shown(store)}`);
  if (workspace !== undefined && typeof workspace !== 'string')
    throw new DetentError('INVALID_CONFIG', `workspace is the path of a folder, not ${shown(workspace)}`);
}

function refuseUnknownDispatcher({ dispatcher = 'rows' }: DetentOptions): void {
  if (dispatcher === 'rows' || dispatcher === 'pg-boss') return;
  throw new DetentError('INVALID_CONFIG', 'dispatcher is "rows" or "pg-boss"');
}

/** The options that a configuration file can hold, too. */
export function configOf(options: DetentOptions) {
  const {
    workspace,
    guardedFiles,
    whileWriting,
    mcpFile,
    movedDatabase,
    store,
    env,
    readonly,
    drivesRuns,
    slots,
    dispatcher,
    clock,
    demoPieceDelayMs,
    demoTourDelayMs,
    actor,
    onError,
    logger,
    origins,
    workflows,
    loadWorkflows,
    ...config
  } = options;
  return config;
}

/** False where nothing is set but the file of the database, as for a command without a configuration: loads no schema. */
function needsCheck({ database = {}, secrets = [], ...config }: ReturnType<typeof configOf>): boolean {
  const { file, ...others } = database;
  const isFile = file === undefined || (typeof file === 'string' && file !== '');
  const isNoSecret = Array.isArray(secrets) && secrets.length === 0;
  return !isFile || !isNoSecret || Object.keys({ ...others, ...config }).length > 0;
}
