import { outcomeUnknown } from '../../call/messages.ts';
import type { StoredPart } from '../../protocol/content.ts';
import type { JsonObject } from '../../protocol/json.ts';
import type { MessageRole } from '../../store/rows.ts';
import {
  type AssistantBody,
  imported,
  importedModel,
  type StaffBody,
  type StoredCall,
  type SummaryBody,
  type ToolBody,
  type UserBody,
} from '../../store/stored-message.ts';
import type { ReadLine } from './read-lines.ts';
import { isTransitionLine, type KnownEvent } from './session-log.ts';
import { failureOf } from './vocabulary.ts';

/** A message of an imported run. Its `seq` is the number of its line. */
export interface RebuiltMessage {
  seq: number;
  i: number;
  at: number;
  role: MessageRole;
  /** Of a summary: `head.run` is the imported run, and not known yet. */
  body: UserBody | AssistantBody | StaffBody | ToolBody | SummaryBody;
}

export interface Rebuilt {
  messages: RebuiltMessage[];
  /** The line where the conversation begins that a prompt holds; null for the first. */
  head: number | null;
  artifacts: {
    id: string;
    mime: string;
    encoding?: 'utf8' | 'base64' | undefined;
    body: string;
    at: number;
  }[];
  /** Calls without a result; the import adds one. */
  dangling: number;
  /** Results without a call, or after another result; no prompt has them. */
  orphans: number;
}

/** Builds the messages of a conversation from its lines, so that every call has exactly one result. */
export function rebuild(lines: readonly ReadLine[]): Rebuilt {
  const rebuilder = new Rebuilder(lines);
  for (const [i, line] of lines.entries()) rebuilder.take(i + 1, line);
  return rebuilder.finish();
}

type Of<K extends KnownEvent['type']> = Extract<KnownEvent, { type: K }>;

/** An answer whose lines are still coming. */
interface OpenAnswer {
  body: AssistantBody;
  seq: number;
  /** Calls that `tool.use` lines may still name; those of a foreign file are not known before. */
  unnamed: StoredCall[] | 'any';
  hasText: boolean;
}

interface OpenCall {
  callId: number;
  /** The line of its answer. */
  answer: number;
  at: number;
  /** The line for an added result. */
  seq: number;
}

class Rebuilder {
  readonly #rebuilt: Rebuilt = { messages: [], head: null, artifacts: [], dangling: 0, orphans: 0 };
  readonly #lineOfSeq = new Map<unknown, number>();
  /** Of transitions: their lines, by run and number. */
  readonly #lineOfTransition = new Map<string, number>();
  /** Calls without a result, by their number, and their numbers by the ids in the file. */
  readonly #calls = new Map<number, OpenCall>();
  readonly #named = new Map<string, number>();
  /** Lines of answers and of results to their calls. */
  readonly #pairs: { answer: number; result: number }[] = [];
  #open: OpenAnswer | null = null;
  #parts: StoredPart[] | undefined;
  #job: UserBody['job'];
  #result: Of<'detent.result'>['result'] | null = null;
  #summary: Of<'detent.summary'>['summary'] | null = null;
  #lastSummary: SummaryBody | null = null;
  /** The summary that the head is of. */
  #heading: SummaryBody | null = null;
  #ids = 0;

  constructor(lines: readonly ReadLine[]) {
    for (const [i, { event }] of lines.entries()) this.#lineOfSeq.set(event.seq, i + 1);
  }

  take(seq: number, { event, known, at }: ReadLine): void {
    if (isTransitionLine(event)) this.#lineOfTransition.set(`${event.run_id} ${event.run_seq}`, seq);
    if (!known) return;
    if (known.type === 'user.message') this.#takeWords(seq, at, known.text);
    else if (known.type === 'assistant.message') this.#takeMessage(seq, at, known);
    else if (known.type === 'tool.use') this.#takeUse(seq, at, known);
    else if (known.type === 'tool.result') this.#takeResult(seq, at, known);
    else if (known.type === 'detent.message') this.#takeDetail(known);
    else if (known.type === 'detent.answer') this.#takeAnswer(seq, at, known);
    else if (known.type === 'detent.withdrawn')
      this.#push(seq, at, 'withdrawn', this.#storedAnswer(seq, known, known.answer.text));
    else if (known.type === 'detent.staff') this.#takeStaff(seq, at, known);
    else if (known.type === 'detent.result') this.#result = known.result;
    else if (known.type === 'detent.summary') this.#summary = known.summary;
    else if (known.type === 'detent.head') this.#takeHead(seq, at, known.at);
    else if (known.type === 'detent.artifact') this.#rebuilt.artifacts.push({ ...known.artifact, at });
  }

  finish(): Rebuilt {
    for (const { callId, answer, seq, at } of this.#calls.values()) {
      this.#rebuilt.dangling++;
      const body = { callId, text: outcomeUnknown, isError: true, code: 'OUTCOME_UNKNOWN' } as const;
      // Numbers of calls are unique in the run, so that two results of one line have places of their own.
      this.#push(seq, at, 'tool', { ...body, status: 'uncertain' }, callId);
      this.#pairs.push({ answer, result: seq });
    }
    this.#keepPairsWhole();
    return this.#rebuilt;
  }

  /** A file may have its summary between a call and its result: then the conversation begins with that call. */
  #keepPairsWhole(): void {
    const { head } = this.#rebuilt;
    if (head === null) return;
    let first = head;
    for (;;) {
      const split = this.#pairs.filter(({ answer, result }) => answer < first && result >= first);
      if (split.length === 0) break;
      first = split.reduce((least, { answer }) => Math.min(least, answer), first);
    }
    this.#rebuilt.head = first;
    if (this.#heading?.head) this.#heading.head.seq = first;
  }

  #push(seq: number, at: number, role: MessageRole, body: RebuiltMessage['body'], i = 0): void {
    // What the file itself says of its sources is not believed.
    Object.assign(body, role === 'tool' ? { untrusted: true } : { tainted: [imported] });
    this.#rebuilt.messages.push({ seq, i, at, role, body });
  }

  #takeWords(seq: number, at: number, text: string): void {
    this.#open = null;
    const [parts, job] = [this.#parts, this.#job];
    this.#parts = undefined;
    this.#job = undefined;
    this.#push(seq, at, 'user', { text, ...(parts && { parts }), ...(job && { job }) });
  }

  #takeStaff(seq: number, at: number, { message: { text, by, name } }: Of<'detent.staff'>): void {
    this.#open = null;
    this.#push(seq, at, 'staff', { text, by, ...(name !== undefined && { name }) });
  }

  #takeDetail({ message: { parts, job } }: Of<'detent.message'>): void {
    this.#parts = parts as StoredPart[] | undefined;
    this.#job = job && { id: job.id };
  }

  #takeMessage(seq: number, at: number, { text, is_summary }: Of<'assistant.message'>): void {
    if (is_summary) this.#takeSummary(seq, at, text);
    else this.#takeText(seq, at, text);
  }

  #takeSummary(seq: number, at: number, text: string): void {
    this.#open = null;
    const { usage = null, costUsd = null } = this.#summary ?? {};
    this.#summary = null;
    const body: SummaryBody = { text, effectId: ++this.#ids, head: { run: 0, seq }, usage, costUsd };
    this.#lastSummary = body;
    this.#heading = body;
    this.#rebuilt.head = seq;
    this.#push(seq, at, 'summary', body);
  }

  #takeHead(seq: number, at: number, named: number): void {
    const head = this.#lineOfSeq.get(named) ?? named;
    this.#rebuilt.head = head;
    if (this.#lastSummary) {
      this.#lastSummary.head = { run: 0, seq: head };
      this.#lastSummary = null;
      return;
    }
    // A cleared session: an empty summary.
    const body: SummaryBody = {
      text: '',
      effectId: ++this.#ids,
      head: { run: 0, seq: head },
      usage: null,
      costUsd: null,
    };
    this.#heading = body;
    this.#push(seq, at, 'summary', body);
  }

  #takeAnswer(seq: number, at: number, line: Of<'detent.answer'>): void {
    const { error } = line.answer;
    const body = this.#storedAnswer(seq, line, '');
    this.#begin(seq, at, body, error ? [] : [...body.toolCalls]);
    if (!error)
      for (const { callId } of body.toolCalls) this.#calls.set(callId, { callId, answer: seq, seq, at });
  }

  #storedAnswer(
    seq: number,
    { answer, run_id }: Of<'detent.answer'> | Of<'detent.withdrawn'>,
    text: string,
  ): AssistantBody {
    const { toolCalls, upTo, error, providerData, ...said } = answer;
    return {
      ...said,
      effectId: ++this.#ids,
      // The start of a run is its first transition, with the message that it begins with.
      upTo: this.#lineOfTransition.get(`${run_id} ${Math.max(1, upTo)}`) ?? seq - 1,
      text,
      toolCalls: toolCalls.map(({ id, name, arguments: raw }) => ({
        callId: ++this.#ids,
        id,
        name,
        arguments: raw,
      })),
      ...(providerData && { providerData: providerData as JsonObject }),
      error,
    };
  }

  #begin(seq: number, at: number, body: AssistantBody, unnamed: OpenAnswer['unnamed']): OpenAnswer {
    this.#open = { body, seq, unnamed, hasText: false };
    this.#push(seq, at, 'assistant', body);
    return this.#open;
  }

  #takeText(seq: number, at: number, text: string): void {
    if (!this.#open || this.#open.hasText || this.#open.unnamed === 'any') {
      this.#begin(seq, at, foreignAnswer(++this.#ids, seq, text), 'any');
      return;
    }
    this.#open.hasText = true;
    // A refusal's text takes the place of the answer's text.
    if (text !== this.#open.body.refusal) this.#open.body.text = text;
  }

  #takeUse(seq: number, at: number, { tool_use_id, name, input }: Of<'tool.use'>): void {
    const own = this.#open && this.#open.unnamed !== 'any' ? this.#open.unnamed.shift() : undefined;
    if (own) {
      this.#named.set(tool_use_id, own.callId);
      this.#calls.set(own.callId, { callId: own.callId, answer: this.#open?.seq ?? seq, seq, at });
      return;
    }
    const isForeign = this.#open?.unnamed === 'any';
    const open =
      this.#open && isForeign ? this.#open : this.#begin(seq, at, foreignAnswer(++this.#ids, seq, ''), 'any');
    const callId = ++this.#ids;
    open.body.finish = 'toolCalls';
    open.body.toolCalls.push({ callId, id: tool_use_id, name, arguments: JSON.stringify(input ?? {}) });
    this.#named.set(tool_use_id, callId);
    this.#calls.set(callId, { callId, answer: open.seq, seq, at });
  }

  #takeResult(seq: number, at: number, line: Of<'tool.result'>): void {
    const detail = this.#result;
    this.#result = null;
    // Text after a result begins another answer.
    if (this.#open?.unnamed === 'any') this.#open = null;
    const callId = this.#named.get(line.tool_use_id);
    const call = callId === undefined ? undefined : this.#calls.get(callId);
    if (callId === undefined || !call) {
      this.#rebuilt.orphans++;
      return;
    }
    this.#calls.delete(callId);
    this.#pairs.push({ answer: call.answer, result: seq });
    const isError = line.is_error === true;
    const text = isError
      ? (line.error_message ?? (outputText(line.output) || line.error_type || ''))
      : outputText(line.output);
    const known = isError ? failureOf(line.error_type) : { code: null, status: 'done' as const };
    const parts = detail?.parts as StoredPart[] | undefined;
    this.#push(seq, at, 'tool', { isError, ...known, ...detail, callId, text, ...(parts && { parts }) });
  }
}

function outputText(output: unknown): string {
  if (output === undefined || output === null) return '';
  return typeof output === 'string' ? output : JSON.stringify(output);
}

function foreignAnswer(effectId: number, seq: number, text: string): AssistantBody {
  return {
    effectId,
    upTo: seq - 1,
    provider: importedModel,
    model: '',
    text,
    reasoning: '',
    refusal: '',
    finishReason: null,
    finish: 'stop',
    usage: null,
    costUsd: null,
    toolCalls: [],
    error: null,
  };
}
