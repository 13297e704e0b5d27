import { DetentError, messageOf } from '../protocol/error.ts';
import { isJobRun, jobOptionsOf } from '../records/job-run.ts';
import { isWorkflowRun } from '../records/workflow-run.ts';
import type { ConfirmationRow, RunRow } from '../store/rows.ts';
import { jobLinesOf } from './job-lines.ts';
import type { Logger, LogLevel } from './logger.ts';
import { linesOf, type Moved } from './run-lines.ts';
import { waitLinesOf } from './wait-lines.ts';
import { workflowLinesOf } from './workflow-lines.ts';

/** Writes what runs do to a logger. It never throws, even if the logger does. */
export interface RunLog {
  /** A transition is durable. */
  moved(transition: Moved): void;
  /** What a transition asked people, or what was decided with it: {@link waitLinesOf}. */
  asked(transition: Moved, questions: readonly ConfirmationRow[]): void;
  /** Whether lines of the level `info` are written. */
  hasInfo(): boolean;
  /** Logs a failure that reaches no caller. */
  failed(error: unknown, runId: string): void;
}

/** @param redact takes known secrets out of text. */
export function createRunLog(logger: Logger, redact: (text: string) => string): RunLog {
  const wants = (level: LogLevel) => logger.isLevelEnabled?.(level) ?? true;
  const write = (level: LogLevel, fields: object, message: string) => {
    const text = JSON.stringify(fields);
    const clean = redact(text);
    logger[level](clean === text ? fields : JSON.parse(clean), message);
  };
  return {
    moved(transition) {
      quietly(() => {
        // A logger without the level `error` logs nothing at all.
        if (!wants('error')) return;
        const { row, event, path } = transition;
        const isJob = isJobRun(row);
        const run = runFields(row);
        if (wants('debug')) {
          const { type, ...body } = event;
          write('debug', { ...run, event: type, path, body }, 'transition');
        }
        const own = isJob ? jobLinesOf : isWorkflowRun(row) ? workflowLinesOf : linesOf;
        for (const { level, fields, message } of own(transition))
          if (wants(level)) write(level, { ...run, ...fields }, message);
      });
    },
    asked(transition, questions) {
      quietly(() => {
        for (const { level, fields, message } of waitLinesOf(transition, questions))
          if (wants(level)) write(level, { ...runFields(transition.row), ...fields }, message);
      });
    },
    hasInfo: () => wants('error') && wants('info'),
    failed(error, runId) {
      const code = DetentError.is(error) ? error.code : 'INTERNAL';
      quietly(() => write('error', { ...(runId && { runId }), code, reason: messageOf(error) }, 'failure'));
    },
  };
}

/** What all lines of a run have. */
function runFields(row: RunRow): object {
  const whose = isJobRun(row) ? { jobId: jobOptionsOf(row).jobId } : { sessionId: row.sessionKey };
  return { runId: row.id, ...whose, tenant: row.tenant, seq: row.seq };
}

/** Ignores errors of the logger: a broken log must not fail a run. */
function quietly(write: () => void): void {
  try {
    write();
  } catch {}
}
