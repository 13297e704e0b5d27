import { hasHooks, hookedRun, runHooks, type Stopped } from '../../call/hooks.ts';
import { isObject, parseJson } from '../../protocol/json.ts';
import { addedHeading, type HookRecord, memoryHeading } from '../../protocol/ports.ts';
import { firstEffect, type RunEffect, type RunJob } from '../effect/run-effect.ts';
import type { AgentServices } from '../services.ts';
import { readConversation } from './read-conversation.ts';

/** Only messages and take-overs come before the fact of the first effect. */
const maxEarlyEvents = 100;

/**
 * The texts that `runStart` hooks and recall add to every prompt of the run. The first model call of the run gets them;
 * that call's fact stores them in the log, and later calls read them there.
 */
export async function startContext(
  services: AgentServices,
  job: RunEffect,
  model: string,
): Promise<readonly string[] | Stopped> {
  const { hooks } = services;
  const { cache, notes } = job;
  const isHooked = hasHooks(hooks, 'runStart');
  if (!isHooked && !services.memory) return [];
  if (job.effectId !== firstEffect) {
    cache.startTexts ??= await loggedStart(services, job);
    return cache.startTexts;
  }
  const recalled = await recall(services, job);
  if (recalled) notes.hooks.push(recalled);
  const texts = recalled ? textsOf(services, [recalled]) : [];
  if (isHooked) {
    const { stopped, records } = await runHooks(hooks, 'runStart', job.signal, {
      value: null,
      viewOf: () => ({ ...hookedRun(job.run, job.options), model }),
    });
    notes.hooks.push(...records);
    if (stopped) return stopped;
    texts.push(...textsOf(services, records));
  }
  cache.startTexts = texts;
  return texts;
}

function textsOf(services: AgentServices, records: readonly HookRecord[]): string[] {
  return records.flatMap((record) =>
    record.hook === 'runStart' && record.did === 'addContext' ? [addedText(services, record)] : [],
  );
}

/** The prompt message for a text from a hook or from memory. */
export function addedText(
  { redact }: Pick<AgentServices, 'redact'>,
  { name, text }: { name: string; text: string },
): string {
  if (name === recallName) return `${memoryHeading}\n${redact(text)}`;
  return `${addedHeading} "${name}" of this program: data, not words of the user]\n${redact(text)}`;
}

/** Those texts, as the log has them. Nothing when the run began without hooks, or with a compaction. */
export async function loggedStart(
  services: AgentServices,
  { run }: Pick<RunJob, 'run'>,
): Promise<readonly string[]> {
  const early = { run: run.pk, after: 0, limit: maxEarlyEvents };
  for (const { body } of await services.store.query('listEvents', early)) {
    const event = body.includes('"hooks"') ? parseJson(body) : null;
    if (!isObject(event) || event.effectId !== firstEffect || !Array.isArray(event.hooks)) continue;
    return textsOf(services, event.hooks as HookRecord[]);
  }
  return [];
}

/** The name of recalled text in the log, among the records of hooks. */
const recallName = 'memory';

/**
 * The memory that a run recalls before its first model call, as the log stores it; later calls, also in other processes,
 * read it from the log. Null when nothing fits. A sub-run recalls nothing: its parent's prompt has what it needs.
 */
async function recall(services: AgentServices, job: RunJob): Promise<HookRecord | null> {
  const { run, options } = job;
  const { memory, memoryFolder, redact, store } = services;
  const { parentRunId } = options;
  if (!memory || parentRunId !== undefined) return null;
  const { read } = await readConversation(store, job, job.context.unseen);
  const said = read.messages.flatMap((message) =>
    message.role === 'user' && message.run === run.pk ? [message.body.text] : [],
  );
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
