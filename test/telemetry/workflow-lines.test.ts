import { expect, it } from 'vitest';
import { openInMemory } from '../../src/store/sql/in-memory.ts';
import { createRunLog } from '../../src/telemetry/run-log.ts';
import { flow, writeWorkflow } from '../support/run-rows.ts';

it('a workflow has lines of its own, and a chart’s events have none, whatever they are called', async () => {
  const store = openInMemory();
  const error = { code: 'NO_ROOM', message: 'no room is left' };
  const row = await writeWorkflow(store, [], {
    context: flow([], { spent: { tokens: 12, costUsd: 0.5 } }),
    output: { outcome: 'failed', error },
  });
  const lines: unknown[] = [];
  const write = (level: string) => (fields: object, message?: string) => {
    lines.push({ level, message, ...fields });
  };
  const logger = { debug: write('debug'), info: write('info'), warn: write('warn'), error: write('error') };
  const log = createRunLog({ ...logger, isLevelEnabled: (level) => level !== 'debug' }, (text) => text);
  const open = { ...row, ended: 0 };
  const moved = (event: { type: string; [key: string]: unknown }, of = open) =>
    log.moved({ row: of, event, at: 1, path: 'booking' });
  moved({ type: 'run.start' });
  moved({ type: 'model.done', refusals: 'text', hooks: 3 });
  moved({ type: 'service.failed', effectId: 2, error: { code: 'TOOL_FAILED', message: 'private words' } });
  moved({ type: 'xstate.after.1.trip' }, row);
  expect(lines).toMatchObject([
    { level: 'info', message: 'run started', workflow: 'trip' },
    { level: 'warn', message: 'service failed', effectId: 2, code: 'TOOL_FAILED' },
    { level: 'info', message: 'run ended', outcome: 'failed', code: 'NO_ROOM', tokens: 12, costUsd: 0.5 },
  ]);
  expect(JSON.stringify(lines)).not.toContain('private words');
});
