import type { RunFailure } from '../../machines/run.types.ts';
import type { Committed, EngineEvent } from '../engine/machine.ts';
import type { LogLevel } from '../protocol/ports.ts';
import type { RunRow } from '../store/rows.ts';
import { type CallDecision, callName, isCallDecision, type LogEvent } from '../store/stored-call.ts';
import {
  contextOf,
  isTakeover,
  makesCalls,
  optionsOf,
  outputOf,
  takeoverContextOf,
} from '../store/stored-run.ts';

/** One line of the log, without what all lines of a run have. */
export interface LogLine {
  level: LogLevel;
  message: string;
  fields: Record<string, unknown>;
}

/**
 * The log lines of a transition above `debug`. They hold no text of a conversation, neither of a user nor of a model or
 * tool: only codes, counts, names, and the reasons of refusals.
 */
export function linesOf({ row, event, path }: Committed): LogLine[] {
  const lines = [...hookLines(event), ...engineLines(event, path), ...ownLines(event, row, path)];
  return row.ended && makesCalls(row) ? [...lines, ending(row)] : lines;
}

/** The lines of what the engine says of any run. */
export function engineLines(event: EngineEvent, path: string): LogLine[] {
  switch (event.type) {
    case 'run.resumed':
      return [line('info', event.isSameDriver ? 'time without work skipped' : 'run taken over', { path })];
    case 'run.migrated':
      return [line('info', 'run migrated', { from: event.from, to: event.to })];
    case 'run.faulted':
      return [line('error', 'statechart failed', { code: event.code, reason: event.message })];
    case 'effect.poisoned':
      return [line('error', 'effect given up after three crashes', { effectId: event.effectId })];
    default:
      return [];
  }
}

function ownLines(event: LogEvent, row: RunRow, path: string): LogLine[] {
  const { effectId } = event;
  const { code, message: reason, retryable }: Partial<RunFailure> = event.error ?? {};
  const failure = { effectId, code, reason };
  if (isCallDecision(event)) return [decided(event)];
  switch (event.type) {
    case 'run.create':
      return [line('info', 'run queued', made(row))];
    case 'run.start':
      return [
        isTakeover(row)
          ? line('info', path === 'taken' ? 'session taken over' : 'a person was asked for', {
              by: takeoverContextOf(row).by ?? undefined,
            })
          : line('info', 'run started', made(row)),
      ];
    case 'model.done':
      return [...refusals(event), ...unfit(event, path)];
    case 'model.failed':
      return path.endsWith('backingOff')
        ? [line('info', 'model call to be retried', { ...failure, delayMs: event.delayMs })]
        : [line('warn', 'model call failed', { ...failure, retryable })];
    case 'model.switched':
      return [line('info', 'model switched', { ...failure, from: event.from, to: event.to })];
    case 'context.pruned':
      return [line('info', 'tool results shortened', { results: event.results, saved: event.saved })];
    case 'compact.done':
      return [line('info', 'conversation summarised', { before: event.before, after: event.after })];
    case 'flush.failed':
      return [line('warn', 'note before the summary failed', failure)];
    case 'compact.failed':
      return [line('warn', 'summary failed', failure)];
    case 'tool.failed':
      return [line('warn', 'tool call failed', { callId: callName(Number(effectId)), code: event.code })];
    case 'tool.uncertain':
      return [line('warn', 'outcome of a tool call unknown', { callId: callName(Number(effectId)) })];
    case 'run.cancel':
      return [line('info', 'run cancelled', { reason: event.reason, by: event.by })];
    case 'takeover.take':
      return [line('info', 'session taken over', { by: event.by })];
    case 'takeover.giveBack':
      return [line('info', 'session given back', { by: event.by })];
    case 'timer.takeover':
      return [line('warn', 'session given back', { code: 'EXPIRED', reason: 'nobody gave it back in time' })];
    case 'staff.say':
      return [line('info', 'staff spoke to the user', { by: event.by })];
    case 'timer.confirm':
      return [line('warn', 'calls refused', { code: 'EXPIRED', reason: 'nobody decided in time' })];
    default:
      return [];
  }
}

function made(row: RunRow): LogLine['fields'] {
  const { agent, model } = optionsOf(row);
  return { agent, model };
}

function refusals({ refusals = [] }: LogEvent): LogLine[] {
  return refusals.map(({ callId, code, why }) =>
    line('warn', 'call refused', { callId: callName(callId), code, reason: why }),
  );
}

function unfit({ fits, effectId }: LogEvent, path: string): LogLine[] {
  const isAskedAgain = path.endsWith('requesting');
  return fits === false
    ? [line('warn', 'answer does not fit the output schema', { effectId, isAskedAgain })]
    : [];
}

function decided({ callId: call, verdict, reason, by }: CallDecision): LogLine {
  const callId = callName(call);
  if (verdict !== 'reject') return line('info', 'call decided', { callId, verdict, by });
  return line('warn', 'call refused', { callId, code: 'REJECTED_BY_USER', reason, by });
}

function hookLines({ hooks = [] }: LogEvent): LogLine[] {
  return hooks.flatMap((record) => {
    if (record.did !== 'veto' && record.did !== 'failed') return [];
    const code = record.did === 'veto' ? 'HOOK_VETO' : 'HOOK_FAILED';
    return [
      line('warn', 'hook refused', { hook: record.hook, name: record.name, code, reason: record.reason }),
    ];
  });
}

function ending(row: RunRow): LogLine {
  const { outcome, error } = outputOf(row) ?? {};
  const { steps, tokensIn, tokensOut, costUsd } = contextOf(row);
  return line('info', 'run ended', {
    outcome,
    code: error?.code,
    reason: error?.message,
    steps,
    inputTokens: tokensIn,
    outputTokens: tokensOut,
    costUsd: knownCost(tokensIn + tokensOut, costUsd),
    ms: Math.max(0, row.updatedAt - row.createdAt),
  });
}

/** Contexts have 0 for a cost that nobody knows: a line does not say that it was free. */
export function knownCost(tokens: number, costUsd: number): number | null {
  return costUsd === 0 && tokens > 0 ? null : costUsd;
}

export function line(level: LogLevel, message: string, fields: LogLine['fields']): LogLine {
  return { level, message, fields };
}
