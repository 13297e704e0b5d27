import { confirmVerdicts, reconcileVerdicts } from '../../../machines/run.types.ts';
import { readMessages } from '../../engine/log.ts';
import { readTransitions } from '../../engine/machine.ts';
import type { Usage } from '../../protocol/content.ts';
import { isObject, parseJson } from '../../protocol/json.ts';
import type { QuestionView } from '../../protocol/views.ts';
import type { EventRow, Row, RunRow } from '../../store/rows.ts';
import type { RunOptions } from '../../store/run-options.ts';
import { bodyOf, logEvent, type Question } from '../../store/stored-call.ts';
import {
  type AssistantBody,
  parseMessage,
  type StoredMessage,
  type SummaryBody,
  type ToolBody,
} from '../../store/stored-message.ts';
import { isWorkflowRun, optionsOf, outputOf, type TakeoverOptions } from '../../store/stored-run.ts';
import { outputText } from '../events/run-facts.ts';
import type { Store } from '../rows/statements.ts';
import { readQuestions } from '../story/read-story.ts';
import { Story } from '../story/story.ts';
import type { LogEvent } from './session-log.ts';
import { errorTypeOf, stopReasonOf } from './vocabulary.ts';

/** An event to be written, before it has a number. */
export interface Unnumbered {
  /** Milliseconds since the epoch. */
  at: number;
  event: LogEvent;
  /** Of a line that a message row became: that row's place. */
  place?: { run: number; seq: number };
  /** Instead of `event.at`: the place where the conversation begins from here on; its line is known to who numbers. */
  head?: { run: number; seq: number };
}

/** The ids of calls in a file, which results name: unique in the file, whatever providers sent. */
export class CallIds {
  readonly #taken = new Set<string>();

  take(providerId: string, otherwise: string): string {
    const id = providerId === '' || this.#taken.has(providerId) ? otherwise : providerId;
    this.note(id);
    return id;
  }

  /** The id of a call that has one already. */
  note(id: string): void {
    this.#taken.add(id);
  }
}

/** The lines of one run: its transitions in order, each behind the messages that were written with it. */
export async function* exportRun(store: Store, row: RunRow, ids: CallIds): AsyncGenerator<Unnumbered> {
  const questions = await readQuestions(store, row);
  yield beginning(row);
  const writer = new RunWriter(store, row, ids);
  const asked = questions.toSorted((a, b) => a.askedAt - b.askedAt || a.call - b.call);
  const story = new Story();
  // A queued run has its prompt, and no transition yet.
  if (row.seq === 0)
    for await (const message of readMessages(store, row, { upTo: 0 }))
      yield* writer.message(parseMessage(message));
  for await (const { event, messages } of readTransitions(store, row)) {
    for (const message of messages.map(parseMessage)) {
      story.say(message);
      yield* writer.message(message);
    }
    if (!isWorkflowRun(row)) story.pay(logEvent(event));
    yield transition(row, event);
    while (asked[0] && asked[0].askedAt <= event.at) yield* writer.question(asked.shift() as Question);
  }
  for (const question of asked) yield* writer.question(question);
  yield* ratings(row, await store.query('listRatings', { session: row.session }));
  if (row.ended) yield* ending(row, story);
}

/** What the user said of the answers of a run. */
function* ratings({ pk, id }: RunRow, rows: readonly Row<'ratings'>[]): Generator<Unnumbered> {
  for (const { run, seq, thumb, reason, by, at } of rows)
    if (run === pk)
      yield {
        at,
        event: { type: 'detent.rating', run_id: id, run_seq: seq, rating: { thumb, reason, by } },
      };
}

function beginning(row: RunRow): Unnumbered {
  const { id, machine, version, input, createdAt } = row;
  // The principal belongs to this installation, so the export leaves it out; all other options stay.
  // So does that of the run that answers after a takeover.
  const {
    principal,
    next: _next,
    ...shown
  } = optionsOf(row) as RunOptions & { next?: TakeoverOptions['next'] };
  return {
    at: createdAt,
    event: { type: 'detent.run', run_id: id, machine, version, input: JSON.parse(input), options: shown },
  };
}

function transition(row: RunRow, { seq, type, body, at, path, hash }: EventRow): Unnumbered {
  const { id } = row;
  // A chart's own events may be called as other lines are.
  const own = isWorkflowRun(row) ? `detent.workflow.${type}` : `detent.${type}`;
  return {
    at,
    event: { type: own, run_id: id, run_seq: seq, path, hash, event: JSON.parse(body) },
  };
}

function* ending(row: RunRow, { tally: { usage, answers, last } }: Story) {
  const { id, sessionKey, updatedAt: at } = row;
  const ended = outputOf(row);
  yield { at, event: { type: 'detent.end', run_id: id, output: ended } };
  yield {
    at,
    event: {
      type: 'result',
      final_text: isWorkflowRun(row) ? outputText(row) : (last?.text ?? ''),
      session_id: sessionKey,
      stop_reason: ended ? stopReasonOf(ended.outcome) : undefined,
      usage: usageLine(usage),
      response_id: responseIdOf(last),
      steps: answers,
    },
  };
}

/** The id of the conversation at a provider that stores it, from which the next request may continue. */
function responseIdOf(answer: AssistantBody | undefined): string | undefined {
  for (const remembered of Object.values(answer?.providerData ?? {})) {
    const thread = isObject(remembered) ? remembered.thread : undefined;
    if (isObject(thread) && typeof thread.id === 'string') return thread.id;
  }
  return undefined;
}

function usageLine({ inputTokens, outputTokens, cachedInputTokens, reasoningTokens, costUsd }: Usage) {
  return {
    input_tokens: inputTokens,
    output_tokens: outputTokens,
    total_tokens: inputTokens + outputTokens,
    cached_input_tokens: cachedInputTokens,
    reasoning_tokens: reasoningTokens,
    ...(costUsd !== null && { cost_usd: costUsd }),
  };
}

const kinds: Readonly<Record<string, { prompt(tool: string): string; choices: readonly string[] }>> = {
  confirm: { prompt: (tool) => `May ${tool} be run?`, choices: confirmVerdicts },
  client: { prompt: (tool) => `What is the result of ${tool}?`, choices: ['result', 'reject'] },
  reconcile: { prompt: (tool) => `What became of ${tool}?`, choices: reconcileVerdicts },
};

class RunWriter {
  readonly #store: Store;
  readonly #row: RunRow;
  readonly #ids: CallIds;
  /** By call. */
  readonly #idOf = new Map<number, string>();

  constructor(store: Store, row: RunRow, ids: CallIds) {
    this.#store = store;
    this.#row = row;
    this.#ids = ids;
  }

  /** Each known line stands behind what has no place in it. */
  async *message(message: StoredMessage): AsyncGenerator<Unnumbered> {
    const { run, seq, at, body } = message;
    for (const line of this.#lines(message)) yield { at, place: { run, seq }, ...line };
    if ('artifact' in body && body.artifact) yield* this.#artifact(body.artifact, at);
    if ('parts' in body) for (const part of body.parts ?? []) yield* this.#artifact(part.artifact, at);
  }

  *question(asked: Question): Generator<Unnumbered> {
    const { call, kind, status, hash, decision, askedAt: at } = asked;
    const body = bodyOf(asked);
    const { prompt, choices } = kinds[kind] ?? { prompt: () => body.why, choices: [] };
    const { text = prompt(body.name), options = choices } = (body.question ?? {}) as Partial<QuestionView>;
    const question_id = this.#toolUseId(call);
    yield { at, event: { type: 'user.question', question_id, prompt: text, choices: options } };
    const confirmation = { call, kind, status, hash, body, decision };
    yield { at, event: { type: 'detent.confirmation', run_id: this.#row.id, confirmation } };
  }

  *#lines(message: StoredMessage): Generator<Pick<Unnumbered, 'event' | 'head'>> {
    const place = { run_id: this.#row.id, run_seq: message.seq };
    const { role, body } = message;
    if (role === 'user') {
      const { text, ...rest } = body;
      if (Object.keys(rest).length > 0) yield { event: { type: 'detent.message', ...place, message: rest } };
      yield { event: { type: 'user.message', text } };
    } else if (role === 'assistant') yield* this.#answer(body, place);
    // No other vocabulary has a word for it: a reader of `assistant.message` must not get it.
    else if (role === 'withdrawn') yield { event: { type: 'detent.withdrawn', ...place, answer: body } };
    else if (role === 'staff') yield { event: { type: 'detent.staff', ...place, message: body } };
    else if (role === 'tool') yield* this.#result(body, place);
    else yield* summaryLines(body, place);
  }

  *#answer(body: AssistantBody, place: object): Generator<Pick<Unnumbered, 'event'>> {
    const { text, ...answer } = body;
    yield { event: { type: 'detent.answer', ...place, answer } };
    const words = text || body.refusal;
    if (words !== '') yield { event: { type: 'assistant.message', text: words, is_summary: false } };
    // The calls of an interrupted answer never ran.
    for (const { callId, id, name, arguments: raw } of body.error ? [] : body.toolCalls) {
      const tool_use_id = this.#ids.take(id, `${this.#row.id}.c${callId}`);
      this.#idOf.set(callId, tool_use_id);
      const parsed = parseJson(raw);
      yield { event: { type: 'tool.use', tool_use_id, name, input: isObject(parsed) ? parsed : {} } };
    }
  }

  *#result({ text, ...result }: ToolBody, place: object): Generator<Pick<Unnumbered, 'event'>> {
    yield { event: { type: 'detent.result', ...place, result } };
    const { callId, isError, code } = result;
    const tool_use_id = this.#toolUseId(callId);
    const said = isError
      ? { is_error: true, error_type: errorTypeOf(code), error_message: text }
      : { output: text, is_error: false };
    yield { event: { type: 'tool.result', tool_use_id, ...said } };
  }

  #toolUseId(callId: number): string {
    return this.#idOf.get(callId) ?? `${this.#row.id}.c${callId}`;
  }

  async *#artifact(id: string, at: number): AsyncGenerator<Unnumbered> {
    const found = await this.#store.query('findArtifact', { tenant: this.#row.tenant, id });
    if (!found) return;
    const { mime, encoding, body } = found;
    const artifact = { id, mime, ...(encoding !== 'utf8' && { encoding }), body };
    yield { at, event: { type: 'detent.artifact', run_id: this.#row.id, artifact } };
  }
}

function* summaryLines({ text, head, ...summary }: SummaryBody, place: object) {
  // An empty summary marks a cleared session.
  if (text !== '') {
    yield { event: { type: 'user.compaction', auto: true, reason: 'context_too_big' } };
    yield { event: { type: 'detent.summary', ...place, summary } };
    yield { event: { type: 'assistant.message', text, is_summary: true } };
  }
  if (head) yield { event: { type: 'detent.head' }, head };
}
