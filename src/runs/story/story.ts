import { type AnswerCall, onlyCall } from '../../../machines/run.types.ts';
import { addUsage, noTokens, type Usage } from '../../protocol/content.ts';
import { isObject } from '../../protocol/json.ts';
import type { Question } from '../../store/stored-call.ts';
import { isCallDecision, type LogEvent, unsaidUsage } from '../../store/stored-call.ts';
import type { AssistantBody, Said, StoredCall, ToolBody } from '../../store/stored-message.ts';
import { agentKind } from '../kinds/agent-kind.ts';

/** A transition of an agent's run, from its log or as it happens, with the messages that were written with it. */
interface Entry {
  /** Milliseconds since the epoch. */
  at: number;
  /** The state after it. */
  path: string;
  event: LogEvent;
  messages: readonly Said[];
}

/** A call that an answer asked for, and what came of it. */
export interface ToldCall extends StoredCall {
  /** False for a call of a broken-off answer, which never runs. */
  isMade: boolean;
  /** What policy made of it. */
  gate: AnswerCall['gate'];
  result: ToolBody | null;
  /** What was asked about it, oldest first. */
  questions: readonly AskedQuestion[];
}

/** `n`: its number among the questions about its call, from 1. */
export type AskedQuestion = Question & { n: number };

/** A call without a result. */
type OpenCall = ToldCall & { asked: Question['kind'] | null };

/** What ended the open question about a call: a decision, or that the call ended without one. */
type Settlement = Pick<LogEvent, 'answer' | 'reason' | 'by'> & { callId: number; verdict: string };

/** Such a question, by its kind. */
type Settled = Settlement & { kind: Question['kind'] };

/** What a message, or an event without one, says that model calls used: null for nothing; and the sum so far. */
interface Paid {
  usage: Usage | null;
  total: Usage;
}

/** What a transition changed. */
export type Changes = ReturnType<Story['take']>;

const isReconciling = (path: string) => agentKind.stateOf(path) === 'reconciling';

/** What policy said to a single call, by the state that its run begins in. */
const gateOfOneCall: Readonly<Record<string, AnswerCall['gate']>> = {
  awaitingConfirm: 'ask',
  executing: 'run',
  done: 'refuse',
};

/**
 * One reading of the log of an agent's run. It takes the transitions in order, from the first one, and says what each changed:
 * the same log always gives the same. Of what is over it keeps nothing, so a run may be as long as it likes.
 */
export class Story {
  readonly tally = new Tally();
  /** The calls without a result, by their numbers. */
  readonly open = new Map<number, OpenCall>();
  #path = 'idle';

  /** @param questions all of the run, or at least those that the transition asks */
  take({ event, path, at, messages }: Entry, questions: readonly AskedQuestion[]) {
    const from = this.#path;
    this.#path = path;
    const gates = gatesOf({ event, path });
    const settled = isCallDecision(event) ? this.#settle(event) : null;
    const said = messages.map((message) => this.say(message, gates));
    const unsaid = this.pay(event);
    const asked = this.#ask(questions, (question) => asks({ event, path, at }, question, gates));
    return { from, settled, said, unsaid, asked };
  }

  /** Whether a transition may have asked people, or the client. */
  mayAsk({ event, path }: Pick<Entry, 'event' | 'path'>): boolean {
    if (isReconciling(path) || event.type === 'tool.asked') return true;
    return [...gatesOf({ event, path }).values()].includes('ask');
  }

  /** Takes what model calls used whose answers are no messages. */
  pay(event: LogEvent): Paid {
    return this.tally.pay(unsaidUsage(event));
  }

  /** Takes one message; its transition may be told by `gates`, which say what policy made of its calls. */
  say(message: Said, gates: ReadonlyMap<number, AnswerCall['gate']> = new Map()) {
    const { role, body } = message;
    if (role === 'user') return { role, body };
    if (role === 'staff') return { role, body };
    if (role === 'tool') {
      const { callId, code, status } = body;
      const call = this.open.get(callId) ?? null;
      // A call that is closed while a person is asked about it: the time is over, or a message came instead.
      const settled = this.#settle({ callId, verdict: String(code ?? status).toLowerCase() });
      this.open.delete(callId);
      if (call) call.result = body;
      return { role, body, call, settled };
    }
    const isKnown = body.usage !== null || body.costUsd !== null;
    const paid = this.tally.pay(isKnown ? { ...(body.usage ?? noTokens), costUsd: body.costUsd } : null);
    if (role !== 'assistant') return { role, body, ...paid };
    const step = this.tally.add(body);
    return { role, body, ...paid, step, calls: this.#call(body, gates) };
  }

  #call({ toolCalls, error }: AssistantBody, gates: ReadonlyMap<number, AnswerCall['gate']>): ToldCall[] {
    return toolCalls.map((call) => {
      const gate = gates.get(call.callId) ?? 'run';
      const told = { ...call, isMade: !error, gate, result: null, questions: [], asked: null };
      if (!error) this.open.set(call.callId, told);
      return told;
    });
  }

  #settle({ callId, verdict, answer, reason, by }: Settlement): Settled | null {
    const call = this.open.get(callId);
    if (!call?.asked) return null;
    const kind = call.asked;
    call.asked = null;
    return { callId, verdict, answer, reason, by, kind };
  }

  /** Of one call a transition asks one question; the next one may have been asked in the same millisecond. */
  #ask(questions: readonly AskedQuestion[], isAsked: (question: AskedQuestion) => boolean): AskedQuestion[] {
    const calls = new Set<number>();
    return questions.filter((question) => {
      const call = this.open.get(question.call);
      if (!call || calls.has(question.call) || call.questions.some(({ n }) => n === question.n)) return false;
      if (!isAsked(question)) return false;
      calls.add(question.call);
      call.questions = [...call.questions, question];
      call.asked = question.kind;
      return true;
    });
  }
}

function gatesOf({ event, path }: Pick<Entry, 'event' | 'path'>): Map<number, AnswerCall['gate']> {
  const { type, calls }: LogEvent = event;
  const gate = type === 'run.start' ? gateOfOneCall[path] : undefined;
  if (gate) return new Map([[onlyCall, gate]]);
  // An event of a chart, or a line of an imported run, may have anything there.
  const known = Array.isArray(calls) ? calls.filter(isObject) : [];
  return new Map(known.map(({ callId, gate }) => [callId, gate]));
}

/** Rows are matched by what asked them, not by their time alone. */
function asks(
  { event, at, path }: Omit<Entry, 'messages'>,
  { kind, call, askedAt }: Question,
  gates: ReadonlyMap<number, AnswerCall['gate']>,
): boolean {
  if (askedAt !== at) return false;
  if (kind === 'reconcile') return isReconciling(path);
  return gates.get(call) === 'ask' || (event.type === 'tool.asked' && event.callId === call);
}

/** What the answers of an agent come to. It keeps one of them, however many there are. */
class Tally {
  answers = 0;
  /** The newest answer. */
  last: AssistantBody | undefined;
  /** Of all model calls: those whose answers were withdrawn or became a summary, too. */
  usage: Usage = { ...noTokens, costUsd: null };

  add(answer: AssistantBody): number {
    this.last = answer;
    return ++this.answers;
  }

  pay(usage: Usage | null): Paid {
    if (usage) this.usage = addUsage(this.usage, usage);
    return { usage, total: this.usage };
  }
}
