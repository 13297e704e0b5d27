import { existsSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { callForeign } from '../engine/foreign-code.ts';
import type { LogConfig } from '../protocol/config.ts';
import { defaults } from '../protocol/enums.ts';
import { DetentError, messageOf } from '../protocol/error.ts';
import type { Logger } from '../protocol/ports.ts';
import { isInOwnFolder, makePrivateFile, makePrivateFolder, privateFileMode } from '../text/files.ts';
import { printableJson } from '../text/wording.ts';
import { createRunLog, type RunLog } from './run-log.ts';

/** The log of a Detent, and the reporting of errors that reach no caller. */
export interface Reporting {
  /** Null if no log is configured. */
  log: RunLog | null;
  report(error: unknown, runId: string): void;
  close(): Promise<void>;
}

interface ReportingOptions {
  config: LogConfig;
  /** Replaces the configured log. */
  logger: Logger | undefined;
  onError: ((error: unknown, runId: string) => void) | undefined;
  workspace: string;
  redact(text: string): string;
}

/**
 * Opens the log, if one is configured. Failures go to it and to `onError`. Without `onError` they go to stderr, once.
 */
export async function openReporting(options: ReportingOptions): Promise<Reporting> {
  const { config, logger, onError, workspace, redact } = options;
  const printed = (error: unknown, runId: string) => console.error(`detent: ${runId} ${messageOf(error)}`);
  const tell = (error: unknown, runId: string) =>
    callForeign('onError', () => (onError ?? printed)(error, runId), { runId, report: printed });
  const own = logger ? null : await openLogger(config, workspace, (error) => tell(error, ''));
  const chosen = logger ?? own?.logger;
  const log = chosen ? createRunLog(chosen, redact) : null;
  const isOnStderr = own !== null && config.file === undefined;
  return {
    log,
    report(error, runId) {
      log?.failed(error, runId);
      if (onError || !isOnStderr) tell(error, runId);
    },
    close: async () => own?.close(),
  };
}

interface OpenLogger {
  logger: Logger;
  /** Resolves when all lines are written; at most a second later. */
  close(): Promise<void>;
}

const stderr = 2;
/** Maximum of buffered bytes for a slow reader. Lines beyond it are dropped. */
const maxWaitingBytes = 4_000_000;
const closeMs = 1_000;

/**
 * A pino logger for the configured level and file. Null if the log is off, and then pino is not loaded. It writes lines
 * asynchronously: a full disk, a slow reader or a closed stream does not delay runs.
 *
 * @param onBroken called once, when lines can no longer be written.
 */
async function openLogger(
  { level = defaults.log.level, file }: LogConfig,
  workspace: string,
  onBroken: (error: DetentError) => void,
): Promise<OpenLogger | null> {
  if (level === 'silent') return null;
  const { pino } = await import('pino');
  const dest = file === undefined ? stderr : resolve(workspace, file);
  if (typeof dest === 'string') makeLogFile(dest);
  const stream = pino.destination({
    dest,
    sync: false,
    mkdir: true,
    mode: privateFileMode,
    maxLength: maxWaitingBytes,
  });
  let isBroken = false;
  stream.on('error', (error: unknown) => {
    if (isBroken) return;
    isBroken = true;
    stream.write = () => true;
    const where = file === undefined ? 'stderr' : dest;
    const message = `the log cannot be written to ${where}: ${messageOf(error)}; nothing more is logged, but the runs continue`;
    onBroken(new DetentError('LOG_FAILED', message));
  });
  const logger = pino(
    {
      level,
      base: { pid: process.pid },
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }) },
    },
    // A log on stderr may be read on a terminal, a log in a file with `tail -f`.
    { write: (line: string) => stream.write(printableJson(line)) },
  );
  return {
    logger,
    close: () =>
      new Promise((done) => {
        if (isBroken) return done();
        const timer = setTimeout(done, closeMs);
        const end = () => {
          clearTimeout(timer);
          done();
        };
        stream.once('close', end).once('error', end);
        stream.end();
      }),
  };
}

/** Lines can have what people and models wrote. A log elsewhere that exists keeps its permissions: it may have readers. */
function makeLogFile(file: string): void {
  try {
    const isNew = !existsSync(file);
    makePrivateFolder(dirname(file));
    if (isNew || isInOwnFolder(file)) makePrivateFile(file);
  } catch {
    // The stream reports what is wrong when it opens the file.
  }
}
