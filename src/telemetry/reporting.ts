import { existsSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { callForeign } from '../engine/foreign-code.ts';
import type { LogConfig } from '../protocol/config.ts';
import { defaults } from '../protocol/enums.ts';
import { DetentError, messageOf } from '../protocol/error.ts';
import type { Logger } from '../protocol/ports.ts';
import { isInOwnFolder, makePrivateFile, makePrivateFolder, privateFileMode } from '../text/files.ts';
import { onceAMinute } from '../text/limiter.ts';
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
  /** Milliseconds since the epoch. */
  now(): number;
}

/**
 * Opens the log, if one is configured. Failures go to it and to `onError`. Without `onError` they go to stderr, once.
 */
export async function openReporting(options: ReportingOptions): Promise<Reporting> {
  const { config, logger, onError, workspace, redact, now } = options;
  const printed = (error: unknown, runId: string) => console.error(`detent: ${runId} ${messageOf(error)}`);
  const tell = (error: unknown, runId: string) =>
    callForeign('onError', () => (onError ?? printed)(error, runId), { runId, report: printed });
  const place = { workspace, now, onBroken: (error: DetentError) => tell(error, '') };
  const own = logger ? null : await openLogger(config, place);
  const chosen = logger ?? own?.logger;
  const log = chosen ? createRunLog(chosen, redact) : null;
  const isNew = onceAMinute();
  const isOnStderr = own !== null && config.file === undefined;
  return {
    log,
    report(error, runId) {
      if (isPassing(error) && !isNew(`${runId} ${messageOf(error)}`)) return;
      log?.failed(error, runId);
      if (onError || !isOnStderr) tell(error, runId);
    },
    close: async () => own?.close(),
  };
}

/** What each look at a database meets while its disk is full or it cannot be reached. */
function isPassing(error: unknown): boolean {
  return DetentError.is(error) && error.retryable && error.code.startsWith('DATABASE_');
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
/** How long after a failure the log is tried again. */
const againMs = 60_000;

interface LoggerPlace {
  workspace: string;
  now(): number;
  /** Called when lines can no longer be written; again only after some were. */
  onBroken(error: DetentError): void;
}

/**
 * A pino logger for the configured level and file. Null if the log is off, and then pino is not loaded. It writes lines
 * asynchronously: a full disk, a slow reader or a closed stream does not delay runs. After a failure it drops lines for a
 * minute, and then opens the file again.
 */
async function openLogger(
  { level = defaults.log.level, file }: LogConfig,
  { workspace, now, onBroken }: LoggerPlace,
): Promise<OpenLogger | null> {
  if (level === 'silent') return null;
  const { pino } = await import('pino');
  const dest = file === undefined ? stderr : resolve(workspace, file);
  let isTold = false;
  const open = () => {
    if (typeof dest === 'string') makeLogFile(dest);
    const opened = pino.destination({
      dest,
      sync: false,
      mkdir: true,
      mode: privateFileMode,
      maxLength: maxWaitingBytes,
    });
    opened.on('write', () => {
      isTold = false;
    });
    opened.on('error', (error: unknown) => {
      if (stream !== opened) return;
      stream = null;
      failedAt = now();
      opened.destroy();
      // One that never opened is not closed by that: pino would flush it when the process exits, which throws.
      opened.emit('close');
      if (isTold) return;
      isTold = true;
      const where = file === undefined ? 'stderr' : dest;
      const message = `the log cannot be written to ${where}: ${messageOf(error)}; it is tried again each minute, and the runs continue`;
      onBroken(new DetentError('LOG_FAILED', message));
    });
    return opened;
  };
  /** Null after a failure, until the next line a minute later. */
  let stream: ReturnType<typeof open> | null = open();
  let failedAt = 0;
  let lost = 0;
  const write = (line: string) => {
    if (!stream && Math.abs(now() - failedAt) >= againMs) {
      stream = open();
      const count = lost;
      lost = 0;
      logger.warn({ lost: count }, 'log lines lost');
    }
    if (stream) stream.write(printableJson(line));
    else lost += 1;
  };
  const logger = pino(
    {
      level,
      base: { pid: process.pid },
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }) },
    },
    // A log on stderr may be read on a terminal, a log in a file with `tail -f`.
    { write },
  );
  return {
    logger,
    close: () =>
      new Promise((done) => {
        if (!stream) return done();
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
