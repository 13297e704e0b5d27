import type { HookRecord } from '../../ports/hooks.ts';
import { parseMessage } from '../../records/messages.ts';
import type { RunJob } from '../run-effect.ts';
import type { AgentServices } from '../services.ts';
import { readConversation } from './conversation.ts';

/** The name of recalled text in the log, among the records of hooks. */
export const recallName = 'memory';

/**
 * The memory that a run recalls before its first model call, as the log stores it; later calls, also in other processes,
 * read it from the log. Null when nothing fits. A sub-run recalls nothing: its parent's prompt has what it needs.
 */
export async function recall(services: AgentServices, job: RunJob): Promise<HookRecord | null> {
  const { run, options } = job;
  const { memory, memoryFolder, redact, store } = services;
  const { parentRunId } = options;
  if (!memory || parentRunId !== undefined) return null;
  const rows = await store.query('listMessagesOfRun', { session: run.session, run: run.pk });
  const said = rows.map(parseMessage).flatMap(({ role, body }) => (role === 'user' ? [body.text] : []));
  const place = { ...memoryFolder, user: options.principal?.userId ?? null };
  const untrusted = new Set(await memory.listUntrusted(run.tenant, place.workspace));
  const text = await memory.recall(place, said.join('\n'), {
    said: () => conversationText(services, job),
    untrusted,
  });
  return text === null ? null : { hook: 'runStart', name: recallName, did: 'addContext', text: redact(text) };
}

/**
 * The text of people and models in the next prompt. Without results of tools, because the prompt may shorten old ones.
 */
async function conversationText({ store }: AgentServices, job: RunJob): Promise<string> {
  const { summary, read } = await readConversation(store, job, job.context.unseen);
  const said = read.messages.flatMap(({ role, body }) => {
    if (role === 'user') return [body.text];
    return role === 'assistant' ? [body.text, ...body.toolCalls.map((call) => call.arguments)] : [];
  });
  return [summary ?? '', ...said].join('\n');
}
