import type { Committed, EngineEvent } from '../engine/machine.ts';
import { DetentError, messageOf } from '../protocol/error.ts';
import { isObject } from '../protocol/json.ts';
import type { Logger, LogLevel } from '../protocol/ports.ts';
import type { RunRow } from '../store/rows.ts';
import { callName, decidedOf, type Question } from '../store/stored-call.ts';
import {
  flowContextOf,
  flowOutputOf,
  isJobRun,
  isWorkflowRun,
  jobOptionsOf,
  workflowId,
} from '../store/stored-run.ts';
import { engineLines, knownCost, type LogLine, line, linesOf } from './run-lines.ts';

/** Writes what runs do to a logger. It never throws, even if the logger does. */
export interface RunLog {
  /** A transition is durable. */
  moved(transition: Committed): void;
  /** What a transition asked people, or what was decided with it: {@link waitLinesOf}. */
  asked(transition: Committed, questions: readonly Question[]): void;
  /** Whether lines of the level `info` are written. */
  hasInfo(): boolean;
  /** Logs a failure that reaches no caller. */
  failed(error: unknown, runId: string): void;
}

/** What an event says. Like a context, it has 0 for a cost that nobody knows. */
function bodyOf({ type: _, ...body }: EngineEvent): object {
  const { cost } = body;
  if (!isObject(cost)) return body;
  const { inputTokens, outputTokens, costUsd } = cost;
  if (typeof inputTokens !== 'number' || typeof outputTokens !== 'number' || costUsd !== 0) return body;
  return { ...body, cost: { ...cost, costUsd: knownCost(inputTokens + outputTokens, costUsd) } };
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
          write('debug', { ...run, event: event.type, path, body: bodyOf(event) }, 'transition');
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
  return {
    runId: row.id,
    ...whose,
    tenant: row.tenant,
    ...(row.user !== null && { user: row.user }),
    seq: row.seq,
  };
}

/** Ignores errors of the logger: a broken log must not fail a run. */
function quietly(write: () => void): void {
  try {
    write();
  } catch {}
}

/**
 * The log lines of a job's transition above `debug`: what its slots came to. They hold no text of prompts or results.
 */
function jobLinesOf({ event, path }: Committed): LogLine[] {
  const { n, runId, status } = event;
  const { code, message: reason } = (event.error ?? {}) as Record<string, unknown>;
  switch (event.type) {
    case 'fire.started':
      return [line('info', 'slot began', { n, run: runId })];
    case 'fire.ended':
      return [
        line(status === 'failed' ? 'warn' : 'info', 'slot ended', { run: runId, status, code, reason }),
        ...(path === 'paused' ? [line('warn', 'job paused', { reason: 'failures in a row' })] : []),
      ];
    case 'slots.found':
      return skipped(event);
    case 'slots.failed':
      return [line('error', 'schedule cannot be read', { code, reason })];
    case 'delivery.failed':
      return [line('warn', 'delivery failed', { code, reason, delayMs: event.delayMs })];
    case 'effect.poisoned':
      return [line('error', 'effect given up after three crashes', { effectId: event.effectId })];
    case 'job.faulted':
      return [line('error', 'statechart failed', { code: event.code, reason: event.message })];
    case 'job.pause':
    case 'job.disable':
    case 'job.resume':
    case 'job.enable':
    case 'job.update':
    case 'job.remove':
    case 'job.run':
      return [line('info', 'job changed', { command: event.type.slice('job.'.length) })];
    default:
      return [];
  }
}

/** One line for all slots of an event, by their reasons: after a long sleep there are many. */
function skipped({ skipped }: EngineEvent): LogLine[] {
  const reasons = (skipped as { reason: string }[]).map(({ reason }) => reason);
  if (reasons.length === 0) return [];
  const counts = Object.fromEntries(
    [...Map.groupBy(reasons, (reason) => reason)].map(([reason, { length }]) => [reason, length]),
  );
  return [line('warn', 'slots skipped', { slots: reasons.length, reasons: counts })];
}

/**
 * The log lines of a workflow's transition above `debug`. They hold nothing of inputs, outputs and contexts: only codes,
 * counts and names. A chart's own events have no lines: they may be called as those of agents' runs.
 */
function workflowLinesOf({ row, event, path }: Committed): LogLine[] {
  const lines = [...engineLines(event, path), ...ownLines(event, row)];
  return row.ended ? [...lines, ending(row)] : lines;
}

function ownLines(event: EngineEvent, row: RunRow): LogLine[] {
  const { effectId } = event;
  const { code } = (event.error ?? {}) as { code?: unknown };
  switch (event.type) {
    case 'run.create':
      return [line('info', 'run queued', { workflow: workflowId(row) })];
    case 'run.start':
      return [line('info', 'run started', { workflow: workflowId(row) })];
    case 'service.failed':
      return [line('warn', 'service failed', { effectId, code })];
    case 'service.uncertain':
      return [line('warn', 'outcome of a step unknown', { effectId })];
    case 'action.done':
      return event.error === undefined ? [] : [line('warn', 'action failed', { effectId, code })];
    default:
      return [];
  }
}

function ending(row: RunRow): LogLine {
  const { outcome, error } = flowOutputOf(row) ?? {};
  const { spent } = flowContextOf(row);
  const ms = Math.max(0, row.updatedAt - row.createdAt);
  const { tokens, costUsd } = spent;
  return line('info', 'run ended', {
    outcome,
    code: error?.code,
    tokens,
    costUsd: knownCost(tokens, costUsd),
    ms,
  });
}

/**
 * The log lines of what a transition asked people, and of what was decided with it: who, by which rule, after how long.
 *
 * @param questions all of the run
 */
function waitLinesOf({ at }: Pick<Committed, 'at'>, questions: readonly Question[]): LogLine[] {
  return questions.flatMap((question): LogLine[] => {
    const { call, kind, name: tool, why: rule, askedAt } = question;
    const asked = { callId: callName(call), kind, tool, rule };
    const decided = decidedOf(question);
    if (decided === null)
      return askedAt === at ? [{ level: 'info', message: 'run waits', fields: asked }] : [];
    const { verdict, by, decidedAt, waitedMs } = decided;
    const fields = { ...asked, verdict, by, waitedMs };
    return decidedAt === at ? [{ level: 'info', message: 'run decided', fields }] : [];
  });
}
