import type { RunDelta, RunEvent } from '../../protocol/run-events.ts';

/** What a run tells its watchers. */
export type ClientEvent = RunEvent | RunDelta;

/**
 * Where one reader of a run is. It passes each event once and in order, over any number of connections: a connection that broke
 * within a transition brings the first events of that transition again.
 */
export class EventOrder {
  readonly #pieces = new Pieces();
  #wholeSeq: number;
  #seq: number;
  #index = -1;

  constructor(afterSeq: number) {
    this.#wholeSeq = afterSeq;
    this.#seq = afterSeq;
  }

  /** The last transition of which the reader has all events: it resumes behind this one. */
  get wholeSeq(): number {
    return this.#wholeSeq;
  }

  /** What the reader gets of an event that came. */
  take(event: ClientEvent): ClientEvent[] {
    if (!('seq' in event)) return this.#pieces.take(event);
    const { seq, index, last } = event;
    if (seq <= this.#wholeSeq || (seq === this.#seq && index <= this.#index)) return [];
    this.#seq = seq;
    this.#index = index;
    if (last) this.#wholeSeq = seq;
    return [...this.#pieces.before(event), event];
  }
}

/** The parts of an answer that stream. */
const kinds = ['reasoning', 'text', 'refusal'] as const;
type Kind = (typeof kinds)[number];
type Piece = Extract<RunDelta, { event: 'assistant.delta' | 'assistant.reasoning' }>;
type Whole = Extract<RunEvent, { event: 'assistant.message' }>;

/** The answer that streams now, as its reader has it. */
interface Answer {
  runId: string;
  effectId: number;
  attempt: number;
  parts: Record<Kind, string>;
  /** Whether the reader got all of it, or it was taken back. */
  isOver: boolean;
}

/** Stands for each character that never came. No answer has it. */
const missing = '\0';

/**
 * Makes the pieces of answers whole for one reader, whatever connection they came over: each character comes once and in order.
 * Once the reader has a piece of an answer, the rest follows before its `assistant.message`, or an `assistant.reset` takes it back.
 */
class Pieces {
  #answer: Answer | null = null;
  /** The newest model call that is over: its pieces may still be on their way. Numbers of later calls are greater. */
  #over = 0;

  /** What the reader gets of a delta. */
  take(delta: RunDelta): RunDelta[] {
    // Who performs a call is no piece.
    if ('callId' in delta.payload) return [delta];
    const { effectId, attempt } = delta.payload;
    const had = this.#answer;
    const order = had ? effectId - had.effectId || attempt - had.attempt : 1;
    if (effectId <= this.#over || order < 0) return [];
    const piece = 'content' in delta.payload ? (delta as Piece) : null;
    const before = order > 0 || !piece ? withdraw(had) : [];
    const answer = order > 0 || !had ? { runId: delta.runId, effectId, attempt, ...nothing() } : had;
    this.#answer = answer;
    if (piece) return answer.isOver ? before : [...before, ...join(piece, answer)];
    answer.isOver = true;
    return before;
  }

  /** What the reader gets of the pieces before an event of the log. */
  before(event: RunEvent): RunDelta[] {
    const isMessage = event.event === 'assistant.message';
    if (!isMessage && !(event.event === 'step.interrupted' && event.payload.isAskedAgain)) return [];
    const { effectId } = event.payload;
    this.#over = Math.max(this.#over, effectId);
    const answer = this.#answer;
    if (!answer || answer.effectId > effectId) return [];
    return isMessage && answer.effectId === effectId ? complete(answer, event) : withdraw(answer);
  }
}

/** Of an answer: nothing yet. */
function nothing() {
  return { parts: { text: '', refusal: '', reasoning: '' }, isOver: false };
}

function isEmpty({ parts }: Answer): boolean {
  return kinds.every((kind) => parts[kind] === '');
}

/** Takes back what the reader has. */
function withdraw(answer: Answer | null): RunDelta[] {
  if (!answer || answer.isOver) return [];
  answer.isOver = true;
  const { runId, effectId, attempt } = answer;
  return isEmpty(answer) ? [] : [{ event: 'assistant.reset', runId, payload: { effectId, attempt } }];
}

function join(piece: Piece, answer: Answer): RunDelta[] {
  const { offset, content } = piece.payload;
  const kind = piece.event === 'assistant.delta' ? piece.payload.contentType : 'reasoning';
  const before: RunDelta[] = [];
  if (offset > answer.parts[kind].length) {
    // Pieces between were lost on their way to the gateway: what the reader has does not lead up to this one.
    before.push(...withdraw(answer));
    Object.assign(answer, nothing());
    answer.parts[kind] = missing.repeat(offset);
  }
  const had = answer.parts[kind].length - offset;
  const rest = content.slice(had);
  if (rest === '') return before;
  answer.parts[kind] += rest;
  return [
    ...before,
    { ...piece, payload: { ...piece.payload, offset: offset + had, content: rest } } as Piece,
  ];
}

/** The rest of an answer whose pieces the reader has in part. */
function complete(answer: Answer, { payload }: Whole): RunDelta[] {
  const { runId, effectId, attempt, parts } = answer;
  // A client that only converses is told no reasoning, neither in pieces nor whole.
  const whole = { reasoning: payload.reasoning ?? '', text: payload.content, refusal: payload.refusal };
  const wasOver = answer.isOver || isEmpty(answer);
  const joins = kinds.every((kind) => whole[kind].startsWith(parts[kind]));
  const reset = joins ? [] : withdraw(answer);
  answer.isOver = true;
  if (wasOver) return [];
  const rest = kinds.flatMap((contentType) => {
    const offset = joins ? parts[contentType].length : 0;
    const content = whole[contentType].slice(offset);
    const isReasoning = contentType === 'reasoning';
    const payload = { effectId, attempt, offset, content, ...(!isReasoning && { contentType }) };
    const event = isReasoning ? 'assistant.reasoning' : 'assistant.delta';
    return content === '' ? [] : ({ event, runId, payload } as Piece);
  });
  return [...reset, ...rest];
}
