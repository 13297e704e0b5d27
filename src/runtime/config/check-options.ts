import { DetentError } from '../../protocol/error.ts';
import { refuseWithoutServer } from './database-file.ts';
import type { DetentOptions } from './detent-options.ts';

/** Checks the options that a configuration file can hold, too. @throws DetentError `INVALID_CONFIG`. */
export async function checkOptions(options: DetentOptions): Promise<void> {
  const config = configOf(options);
  refuseUnknownDispatcher(options);
  if (options.drivesRuns === false) refuseWithoutServer(options, 'drivesRuns: false');
  if (needsCheck(config)) (await import('./validate-config.ts')).validateConfig(config, 'createDetent');
  if (options.notify) (await import('./check-notify.ts')).checkNotify(options);
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
