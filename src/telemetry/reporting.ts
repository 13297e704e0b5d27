import { callForeign } from '../ports/foreign-code.ts';
import type { LogConfig } from '../protocol/config.ts';
import { messageOf } from '../protocol/error.ts';
import type { Logger } from './logger.ts';
import { openLogger } from './open-logger.ts';
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
