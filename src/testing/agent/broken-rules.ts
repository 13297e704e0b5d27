import { replay } from '../../engine/log.ts';
import { defaultTenant as tenant } from '../../protocol/access.ts';
import type { PromptMessage } from '../../protocol/ports.ts';
import type { Core } from '../../runtime/config.ts';
import type { RunRow } from '../../store/rows.ts';
import { callNumber } from '../../store/stored-call.ts';
import type { PerformedCall } from './agent-path.ts';
import { until } from './conductor.ts';
import type { GraphCall } from './point.ts';

/** Whether each call in a prompt has exactly one result, right after it; what is not so, in words. */
export function brokenPrompt(messages: readonly PromptMessage[]): string | null {
  let open: string[] = [];
  for (const message of messages) {
    if (message.role === 'tool') {
      if (!open.includes(message.toolCallId)) return `a prompt has a result of no call: ${message.name}`;
      open = open.filter((id) => id !== message.toolCallId);
      continue;
    }
    if (open.length > 0) return `a prompt has calls without results: ${open.join(', ')}`;
    if (message.role === 'assistant') open = message.toolCalls.map(({ id }) => id);
  }
  return open.length > 0 ? `a prompt ends with calls without results: ${open.join(', ')}` : null;
}

/** Whether a call that must not be repeated was, although no person had it made again. */
export function repeatedHarm(
  performed: readonly PerformedCall[],
  calls: Iterable<GraphCall>,
  verdicts: readonly string[],
): string | null {
  const unsafe = new Set<string>();
  for (const { name, task, class: kind } of calls) {
    if (kind === 'unsafe') unsafe.add(name);
    if (task?.class === 'unsafe') unsafe.add(task.name);
  }
  const again = verdicts.filter((verdict) => verdict === 'retry').length;
  const harmful = performed.filter(({ tool }) => unsafe.has(tool));
  const keys = new Set(harmful.map(({ idempotencyKey }) => idempotencyKey));
  return harmful.length - keys.size > again ? `an unsafe call ran again: ${[...unsafe].join(', ')}` : null;
}

/**
 * What the rows of a run that has ended must be, whatever happened to it: nothing is open, and each message and each call with its
 * result is there.
 *
 * @param said messages of the user in its session
 * @returns what is not so, in words
 */
export async function brokenRows(
  { runs, store, hosts }: Core,
  row: RunRow,
  said: number,
): Promise<string | null> {
  if (!row.ended) return 'the run has not ended';
  const run = row.pk;
  const open = await store.query('listOpenEffects', { run });
  if (open.length > 0) return `effects are open: ${open.map(({ name, n }) => `${name} ${n}`).join(', ')}`;
  const timers = await store.query('listTimers', { run });
  if (timers.length > 0) return `timers are set: ${timers.map(({ id }) => id).join(', ')}`;
  const messages = await store.query('listMessages', { session: row.session, run: 0, seq: 0 });
  const ofUser = messages.filter(({ role }) => role === 'user').length;
  if (ofUser !== said) return `the session has ${ofUser} messages of the user, who sent ${said}`;
  const log = await store.query('listEvents', { run, after: 0, limit: 100_000 });
  const { diverged } = replay(hosts, row, log);
  if (diverged) return `the log does not lead there: ${JSON.stringify(diverged)}`;
  const count = (type: string) => log.filter((event) => event.type === type).length;
  const summaries = messages.filter(({ role, run: of }) => role === 'summary' && of === run).length;
  if (summaries !== count('compact.done'))
    return `${count('compact.done')} compactions left ${summaries} summaries`;
  const calls = (await runs.view(tenant, row.id)).steps.flatMap(({ toolCalls }) => toolCalls);
  const results = messages.filter(({ role, run: of }) => role === 'tool' && of === run).length;
  if (results !== calls.length) return `${calls.length} calls have ${results} results`;
  for (const { callId } of calls) {
    const asked = await store.query('findConfirmation', { run, call: callNumber(callId) });
    if (asked?.status === 'open') return `the question about ${callId} is open`;
    const child = `${row.id}.${callId}`;
    const isOver = async () => (await store.query('loadRun', { tenant, id: child }))?.ended !== 0;
    // Its end follows that of the run that started it.
    await until(isOver, `run ${child} goes on, and nobody waits for it`);
  }
  return null;
}
