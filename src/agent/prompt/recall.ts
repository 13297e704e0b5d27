import type { HookRecord } from '../../ports/hooks.ts';
import { parseMessage } from '../../records/messages.ts';
import type { RunJob } from '../run-effect.ts';
import type { AgentServices } from '../services.ts';
import { readConversation } from './conversation.ts';

/** Under this name what is recalled stands in the log, beside what hooks add. */
export const recallName = 'memory';

/**
 * What a run is reminded of before its first model call, as the log keeps it: later calls, and those of another process,
 * take it from there. Null when there is nothing; a sub-run is told by its parent what it must know.
 */
export async function recall(services: AgentServices, job: RunJob): Promise<HookRecord | null> {
  const { run, options } = job;
  const { memory, redact, store } = services;
  const { workspace, parentRunId } = options;
  if (!memory || parentRunId !== undefined) return null;
  const rows = await store.query('listMessagesOfRun', { session: run.session, run: run.pk });
  const said = rows.map(parseMessage).flatMap(({ role, body }) => (role === 'user' ? [body.text] : []));
  const place = { workspace, tenant: run.tenant };
  const text = await memory.recall(place, said.join('\n'), () => conversationText(services, job));
  return text === null ? null : { hook: 'runStart', name: recallName, did: 'addContext', text: redact(text) };
}

/**
 * What people and models say in the prompt that is about to be built. Results of tools are not in it: old ones may be
 * shortened there.
 */
async function conversationText({ store }: AgentServices, job: RunJob): Promise<string> {
  const { summary, read } = await readConversation(store, job, job.context.unseen);
  const said = read.messages.flatMap(({ role, body }) => {
    if (role === 'user') return [body.text];
    return role === 'assistant' ? [body.text, ...body.toolCalls.map((call) => call.arguments)] : [];
  });
  return [summary ?? '', ...said].join('\n');
}
