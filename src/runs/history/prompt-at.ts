import type { RunContext } from '../../../machines/run.types.ts';
import type { PastCall, PastPrompt } from '../../agent/model-call.ts';
import { readLog, takeMessages } from '../../engine/log.ts';
import type { MachineHosts } from '../../engine/machine.ts';
import { describePart } from '../../protocol/content.ts';
import { DetentError } from '../../protocol/error.ts';
import type { MethodOutput } from '../../protocol/methods.ts';
import type { HookRecord, PromptMessage } from '../../protocol/ports.ts';
import type { Program } from '../../store/program.ts';
import type { MessageRow } from '../../store/rows.ts';
import { type LogEvent, logEvent } from '../../store/stored-call.ts';
import { type AssistantBody, parseMessage, type SummaryBody } from '../../store/stored-message.ts';
import { optionsOf } from '../../store/stored-run.ts';
import { ask, type Store } from '../rows/statements.ts';
import { headOf, type LoadedRun, loadAt, type Place, reading, runsBefore } from './load-at.ts';

/** What a model was sent. */
export interface RunPrompt extends MethodOutput<'run.prompt'> {}

/** Characters of JSON in one page. */
const pageChars = 200_000;

/** What it takes to rebuild a prompt. */
export interface PromptParts {
  store: Store;
  hosts: MachineHosts;
  redact(text: string): string;
  promptOf(call: PastCall): Promise<PastPrompt | null>;
}

/**
 * The prompt of the newest model call that the run had asked for by a transition.
 *
 * @param from the first of its messages and tools that the page has
 * @throws DetentError `NO_PROMPT` when no model had been called by then, or nothing was sent; others as `loadAt` does.
 */
export async function promptAt(parts: PromptParts, place: Place, from: number): Promise<RunPrompt> {
  const { store, hosts, redact } = parts;
  const asked = await reading(store, loadAt(hosts, place, redact));
  const effectId = newestCall(asked);
  const fact = effectId === null ? null : await factOf(store, asked.row.pk, effectId);
  if (effectId === null) throw noPrompt(place, 'no model had been called by then');
  if (fact?.type.startsWith('context.')) throw noPrompt(place, notSent);
  const seq = fact ? fact.seq - 1 : asked.row.seq;
  const then = await reading(store, pastOf(hosts, { ...place, seq }, redact));
  const answer = answerOf(then.answers, effectId);
  const prompt = await parts.promptOf({
    run: { ...then.row, seq: then.was.seq, state: then.was.state, context: then.was.context },
    options: optionsOf(then.row),
    context: JSON.parse(then.was.context) as RunContext,
    effectId,
    place: then.place,
    answers: then.earlier,
    hooks: (fact?.hooks ?? []) as HookRecord[],
    answer,
  });
  if (!prompt) throw noPrompt(place, 'the stored conversation does not fit into the window of its model');
  return page(JSON.parse(redact(JSON.stringify(promptView(then, prompt, answer, fact)))), from);
}

const notSent = 'older messages were shortened or summarised first, and this call was made after that';

function newestCall({ row, was }: LoadedRun): number | null {
  // A run of an earlier version that makes one given call asks no model.
  if (optionsOf(row).call) return null;
  const calls = [...was.effects].filter(([, { name }]) => name === 'effect.callModel').map(([n]) => n);
  return calls.length === 0 ? null : Math.max(...calls);
}

type Fact = LogEvent & { seq: number };

/** The event that ended the call; null while it is open. */
async function factOf(store: Store, run: number, effectId: number): Promise<Fact | null> {
  for await (const row of readLog(store, run)) {
    if (!row.body.includes('"effectId"')) continue;
    const event = logEvent(row);
    if (event.effectId === effectId) return { ...event, seq: row.seq };
  }
  return null;
}

interface Past extends LoadedRun {
  place: PastCall['place'];
  /** All answers of the run, until now. */
  answers: AssistantBody[];
  /** The answers in its session before it. */
  earlier: PastCall['answers'];
}

/** The run at a transition, and where its prompt began then. */
function* pastOf(hosts: MachineHosts, at: Place, redact: (text: string) => string): Program<Past> {
  const loaded = yield* loadAt(hosts, at, redact);
  const { row, messages } = loaded;
  const conversation: MessageRow[] = [];
  for (const run of yield* runsBefore(row)) conversation.push(...(yield* takeMessages(run, run.seq)));
  conversation.push(...messages);
  const head = yield* headOf(row, conversation);
  const summary = conversation.findLast(({ role }) => role === 'summary');
  const session = yield* ask('findSession', { tenant: row.tenant, key: row.sessionKey });
  const answers = (yield* takeMessages(row, row.seq))
    .filter(({ role }) => role === 'assistant' || role === 'withdrawn')
    .map((message) => parseMessage(message).body as AssistantBody);
  return {
    ...loaded,
    answers,
    earlier: conversation.filter(({ role }) => role === 'assistant').map(({ run, seq }) => ({ run, seq })),
    place: {
      head,
      pruned: { run: session?.prunedRun ?? 0, seq: session?.prunedSeq ?? 0 },
      summary: summary && head.run > 0 ? (JSON.parse(summary.body) as SummaryBody) : null,
    },
  };
}

function answerOf(answers: readonly AssistantBody[], effectId: number): AssistantBody | null {
  return answers.find((body) => body.effectId === effectId) ?? null;
}

function promptView(
  { row, was }: LoadedRun,
  { name, messages, tools, estimated }: PastPrompt,
  answer: AssistantBody | null,
  fact: Fact | null,
): RunPrompt {
  const { output } = optionsOf(row);
  return {
    runId: row.id,
    seq: was.seq,
    answeredAt: fact?.seq ?? null,
    model: name,
    tokens: estimated,
    tokensThen: answer?.estimated ?? null,
    messages: messages.map(shown),
    tools: tools.map(({ name, description, parameters }) => ({ name, description, parameters })),
    ...(output && { output }),
  };
}

function shown(message: PromptMessage): RunPrompt['messages'][number] {
  const { role, text } = message;
  const parts = 'parts' in message && message.parts ? { parts: message.parts.map(describePart) } : {};
  switch (message.role) {
    case 'assistant': {
      const { reasoning, toolCalls } = message;
      const thought = reasoning === '' ? {} : { reasoning };
      return { role, text, ...thought, ...(toolCalls.length > 0 && { toolCalls }) };
    }
    case 'tool': {
      const { toolCallId, name, isError } = message;
      return { role, text, toolCallId, name, ...(isError && { isError }), ...parts };
    }
    default:
      return { role, text, ...parts };
  }
}

/** A part of the messages and the tools behind them: at least one, and as many as a page holds. */
function page(prompt: RunPrompt, from: number): RunPrompt {
  const { messages, tools } = prompt;
  const all = messages.length + tools.length;
  let end = from;
  let chars = 0;
  while (end < all) {
    chars += JSON.stringify(messages[end] ?? tools[end - messages.length]).length;
    if (end > from && chars > pageChars) break;
    end++;
  }
  const behind = (place: number) => Math.max(0, place - messages.length);
  return {
    ...prompt,
    messages: messages.slice(from, end),
    tools: tools.slice(behind(from), behind(end)),
    ...(end < all && { nextFrom: end }),
  };
}

function noPrompt({ runId, seq }: Place, why: string): DetentError {
  return new DetentError(
    'NO_PROMPT',
    `run ${runId} has no prompt to show at seq ${seq}: ${why}; "detent runs events ${runId}" lists its transitions`,
    { details: { runId, seq } },
  );
}
