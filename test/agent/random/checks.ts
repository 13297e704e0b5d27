import { isDeepStrictEqual } from 'node:util';
import type { RunContext } from '../../../machines/run.types.ts';
import { newRunCache } from '../../../src/agent/effect/run-effect.ts';
import { partsToSend } from '../../../src/agent/prompt/parts-to-send.ts';
import { toPrompt } from '../../../src/agent/prompt/projection.ts';
import { readConversation } from '../../../src/agent/prompt/read-conversation.ts';
import { replay } from '../../../src/engine/log/replay.ts';
import { chatRuleViolations, isPrefix } from '../../support/openai-rules.ts';
import { type RandomSession, tenant } from './session.ts';
import type { RandomWires } from './wires.ts';

/** What is not true of a session. Its detail is not made a diff of, which takes minutes for long histories. */
export class Untrue extends Error {
  readonly detail: unknown;

  constructor(what: string, detail?: unknown) {
    super(what);
    this.detail = detail;
  }
}

function holds(isTrue: boolean, what: string, detail?: unknown): void {
  if (!isTrue) throw new Untrue(what, detail);
}

function isNone(list: readonly unknown[], what: string): void {
  holds(list.length === 0, `${what}: ${describe(list[0])}`, list);
}

function describe(one: unknown): string {
  return one instanceof Error ? (one.stack ?? one.message) : (JSON.stringify(one) ?? '').slice(0, 500);
}

const taker = { model: 'm', accepts: ['image', 'pdf'] as const };

/** What happened in sessions, counted. */
export type Counts = Record<string, number>;

export function add(counts: Counts, more: Counts): void {
  for (const [name, count] of Object.entries(more)) counts[name] = (counts[name] ?? 0) + count;
}

const settled = /^(done|failed|rejected|skipped|cancelled|uncertain)$/;
/** Events that tell what a session has been through. */
const telling: Readonly<Record<string, string>> = {
  'run.cancel': 'cancels',
  'run.message': 'steered',
  'confirm.decide': 'decisions',
  'model.switched': 'failovers',
  'model.failed': 'failures',
  'compact.done': 'compactions',
  'compact.failed': 'failedCompactions',
  'context.pruned': 'prunings',
  'flush.done': 'flushes',
  'tool.reconcile': 'reconciled',
};

/**
 * Holds a session of random life, all of whose runs have ended, against what must be true of every one; answers what
 * happened in it.
 *
 * @throws Untrue
 */
export async function checkSession(session: RandomSession, wires: RandomWires): Promise<Counts> {
  isNone(session.reports, 'reported');
  for (const { messages } of session.asked) isNone(chatRuleViolations(messages), 'a prompt is not valid');
  const counts: Counts = {
    histories: 1,
    crashes: session.crashes,
    messages: session.taken.size,
    prompts: session.asked.length,
    shown: session.asked.filter(({ messages }) => messages.some((message) => 'parts' in message)).length,
    cut: session.asked.filter(({ isCut }) => isCut).length,
    grown: countGrown(session),
  };
  add(counts, await checkRuns(session));
  await checkHeard(session, wires);
  for (const { of, wrong, body } of wires.violations) throw new Untrue(`${of}: ${wrong.join('; ')}`, body);
  const { chat, responses, messages, threaded, lost } = wires.count;
  add(counts, { chat, responses, messages_: messages, threaded, lost });
  return counts;
}

/** Each prompt begins with the one before it, as long as nothing was made smaller and the model is the same. */
function countGrown({ asked }: RandomSession): number {
  let grown = 0;
  for (const [i, later] of asked.entries()) {
    const earlier = asked[i - 1];
    if (!earlier || later.isCut || earlier.isCut || earlier.smaller !== later.smaller) continue;
    if (earlier.model !== later.model || earlier.messages[0]?.text !== later.messages[0]?.text) continue;
    // What came with a run that was refused is not shown again.
    if (earlier.messages.some((message) => 'parts' in message)) continue;
    const grows = isPrefix(earlier.messages, later.messages);
    holds(grows, `prompt ${i} does not begin with the one before it`, { earlier, later });
    grown++;
  }
  return grown;
}

async function checkRuns({ store, engine, runs, ...session }: RandomSession): Promise<Counts> {
  const counts: Counts = {};
  const rows = (await store.query('listRuns', { tenant, limit: 100 })).toReversed();
  holds(isDeepStrictEqual(rows.map(({ id }) => id).sort(), [...session.runIds].sort()), 'runs are missing');
  for (const row of rows) {
    const events = await store.query('listEvents', { run: row.pk, after: 0, limit: 10_000 });
    const { diverged, folded } = replay(engine.hostOf('run'), row, events);
    holds(diverged === null && folded === events.length, 'the log does not replay', diverged);
    isNone(await store.query('listOpenEffects', { run: row.pk }), 'an effect is open');
    isNone(await store.query('listTimers', { run: row.pk }), 'a timer is left');
    const used = await store.query('listUsageOf', { tenant, runId: row.id });
    const { tokensIn } = JSON.parse(row.context) as RunContext;
    const spent = used.reduce((sum, { inputTokens }) => sum + inputTokens, 0);
    holds(spent === tokensIn, `a run counts ${tokensIn} tokens, the ledger ${spent}`);
    const view = await runs.view(tenant, row.id);
    isNone(view.pending, 'a call is pending');
    for (const call of view.steps.flatMap((step) => (step.error ? [] : step.toolCalls))) {
      holds(settled.test(call.status) && typeof call.result === 'string', 'a call has no result', call);
    }
    for (const { type } of events) {
      const name = telling[type];
      if (name) add(counts, { [name]: 1 });
    }
    add(counts, { runs: 1, transitions: events.length, [`ended ${view.outcome}`]: 1 });
  }
  for (const { holds: held } of await store.query('listBudgets', { tenant, day: '', month: '', now: 0 }))
    holds(held === 0, `a shared budget is still held, ${held} times`);
  return counts;
}

/**
 * No message that was taken is lost: it is in the conversation, or in what stands for its older part. And whichever model
 * comes next, of whichever provider, its request is valid.
 */
async function checkHeard({ store, taken }: RandomSession, wires: RandomWires): Promise<void> {
  const last = (await store.query('listRuns', { tenant, limit: 1 }))[0];
  if (!last) return;
  const { summary, blocks } = await readConversation(store, { run: last, cache: newRunCache() }, 0);
  for (const model of ['chat/m', 'responses/m', 'messages/m', 'one/m']) {
    const sent = await partsToSend(store, { run: last, cache: newRunCache() }, blocks, taker);
    const prompt = toPrompt(blocks, { system: '', summary, provider: model, sent });
    const messages = [...prompt, { role: 'user' as const, text: 'what comes next' }];
    isNone(chatRuleViolations(messages), 'a prompt is not valid');
    wires.check({ model: 'm', messages, tools: [] });
  }
  const rows = await store.query('listMessages', { session: last.session, run: 0, seq: 0 });
  const stored = new Set(rows.filter(({ role }) => role === 'user').map(({ body }) => JSON.parse(body).text));
  const said = new Set(blocks.flatMap((block) => (block.kind === 'user' ? [block.text] : [])));
  for (const words of taken.keys()) {
    holds(stored.has(words), `"${words}" was taken and is lost`);
    holds(summary !== null || said.has(words), `"${words}" is not in the conversation`);
  }
}
