import type { EffectJob } from '../engine/machine-host.ts';
import type { HookRecord } from './hooks/hooks.ts';
import { parseMessage } from './messages.ts';
import type { RunOptions } from './run-options.ts';
import type { AgentServices } from './services.ts';

/** Under this name what is recalled stands in the log, beside what hooks add. */
export const recallName = 'memory';

/**
 * What a run is reminded of before its first model call, as the log keeps it: later calls, and those of another process,
 * take it from there. Null when there is nothing; a sub-run is told by its parent what it must know.
 */
export async function recall(services: AgentServices, { run }: EffectJob): Promise<HookRecord | null> {
  const { memory, redact, store } = services;
  const { workspace, parentRunId } = JSON.parse(run.options) as RunOptions;
  if (!memory || parentRunId !== undefined) return null;
  const rows = await store.query('listMessagesOfRun', { session: run.session, run: run.pk });
  const said = rows.map(parseMessage).flatMap(({ role, body }) => (role === 'user' ? [body.text] : []));
  const text = await memory.recall({ workspace, tenant: run.tenant }, said.join('\n'));
  return text === null ? null : { hook: 'runStart', name: recallName, did: 'addContext', text: redact(text) };
}
