import type { EngineEvent } from '../engine/machine-host.ts';
import type { LogLevel } from './logger.ts';
import type { LogLine, Moved } from './run-lines.ts';

/**
 * The log lines of a job's transition above `debug`: what its slots came to. They hold no text of prompts or results.
 */
export function jobLinesOf({ event, path }: Moved): LogLine[] {
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

function line(level: LogLevel, message: string, fields: LogLine['fields']): LogLine {
  return { level, message, fields };
}
