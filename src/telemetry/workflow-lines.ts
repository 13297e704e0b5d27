import type { EngineEvent } from '../engine/machine-host.ts';
import { flowContextOf, flowOutputOf, workflowId } from '../records/workflow-run.ts';
import type { RunRow } from '../store/rows.ts';
import type { LogLevel } from './logger.ts';
import { engineLines, type LogLine, type Moved } from './run-lines.ts';

/**
 * The log lines of a workflow's transition above `debug`. They hold nothing of inputs, outputs and contexts: only codes,
 * counts and names. A chart's own events have no lines: they may be called as those of agents' runs.
 */
export function workflowLinesOf({ row, event, path }: Moved): LogLine[] {
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
  return line('info', 'run ended', { outcome, code: error?.code, ...spent, ms });
}

function line(level: LogLevel, message: string, fields: LogLine['fields']): LogLine {
  return { level, message, fields };
}
