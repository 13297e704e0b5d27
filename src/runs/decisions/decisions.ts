import type { GrantRequest } from '../../call/policy.ts';
import type { EngineEvent, MachineHost } from '../../engine/machine.ts';
import { isReserved, type QuestionKind } from '../../protocol/enums.ts';
import { DetentError, messageOf } from '../../protocol/error.ts';
import type { MethodOutput } from '../../protocol/methods.ts';
import type { Answer, QuestionView } from '../../protocol/views.ts';
import type { Program } from '../../store/program.ts';
import type { RunRow } from '../../store/rows.ts';
import {
  type CallInput,
  callName,
  type Decision,
  isOpen,
  type Question,
  questionOf,
} from '../../store/stored-call.ts';
import { optionsOf } from '../../store/stored-run.ts';
import { didYouMean } from '../../text/wording.ts';
import { ask } from '../rows/statements.ts';
import { takeQuestions } from '../story/read-story.ts';

/** `mayApprove`: whether whoever decides may approve calls, as of `RunRequest`. */
export type ConfirmDecision = Verdict & { mayApprove?: boolean };

type Verdict =
  /** `grant`: also approves calls like this one for the rest of the session. */
  | { verdict: 'approve'; grant?: GrantRequest; hash?: string; by?: string }
  | { verdict: 'reject'; reason?: string; hash?: string; by?: string }
  /** `arguments`: the new ones, as an object or as JSON text. */
  | { verdict: 'modify'; arguments: unknown; hash?: string; by?: string }
  /** The answer to a question: a list if several options may be chosen, an object for a form. */
  | { verdict: 'answer'; answer: Answer | readonly string[]; hash?: string; by?: string }
  /**
   * The result of a call that the caller of the run performs: any text, of up to 16 million characters. `installation`: the one that
   * claimed the call.
   */
  | {
      verdict: 'result';
      result: string;
      isError?: boolean;
      installation?: string;
      hash?: string;
      by?: string;
    };

export type ReconcileDecision =
  | { verdict: 'ran'; result?: string; by?: string }
  | { verdict: 'retry'; by?: string }
  | { verdict: 'skip'; by?: string };

export interface DecisionResult extends MethodOutput<'tool.confirm'> {}

/** Thrown to roll a transaction back: there is an earlier decision. */
export class Decided extends Error {
  readonly question: Question;

  constructor(question: Question) {
    super(verdictOf(question));
    this.question = question;
  }
}

/** What settles the questions of each kind: a decision, or the verdict on a call whose process died. */
const settledBy: Readonly<Record<QuestionKind, 'confirm' | 'reconcile'>> = {
  confirm: 'confirm',
  question: 'confirm',
  client: 'confirm',
  reconcile: 'reconcile',
};

/** The newest question about a call that a command of this kind settles. A later question of another kind does not hide it. */
export function* newestQuestion(
  run: number,
  call: number,
  command: 'confirm' | 'reconcile',
): Program<Question | undefined> {
  const newest = yield* ask('findConfirmation', { run, call });
  if (!newest || settledBy[newest.kind] === command) return newest && questionOf(newest);
  const asked = yield* takeQuestions({ pk: run });
  return asked.findLast((one) => one.call === call && settledBy[one.kind] === command);
}

/** The one verdict that each other kind of question takes, besides `reject`. */
const ownVerdict: Readonly<Record<string, string>> = { question: 'answer', client: 'result' };
const ownVerdicts: readonly string[] = Object.values(ownVerdict);

/**
 * A question takes an answer, a call of the client's a result, all others an approval; each can be rejected.
 *
 * @throws DetentError `WRONG_VERDICT`.
 */
export function checkVerdict(runId: string, { call, kind }: Asked, verdict: string): void {
  const own = ownVerdict[kind];
  const fits = own === undefined ? !ownVerdicts.includes(verdict) : verdict === own;
  if (verdict === 'reject' || fits) return;
  const place = `detent runs confirm ${runId} ${callName(call)}`;
  const what = `call c${call} of run ${runId}`;
  const advice: Readonly<Record<string, string>> = {
    question: `${what} is a question: answer it with "${place} --answer TEXT" (JSON for a form), or reject it`,
    client: `the caller of the run performs ${what}: give its result with "${place} --result TEXT", or reject it`,
  };
  throw new DetentError(
    'WRONG_VERDICT',
    advice[kind] ??
      (verdict === 'result'
        ? `${what} is not one that the caller of the run performs: decide with "${place} --approve", --reject or --modify`
        : `${what} is not a question: decide with "${place} --approve", --reject or --modify`),
    { details: { callId: callName(call), kind, verdict } },
  );
}

type Asked = Pick<Question, 'call' | 'kind'>;

/**
 * The commands that a run accepts, as people see them: for a question, `answer` instead of `approve`, for a call of the
 * client's `result`. A chart's question can only be approved unchanged.
 */
export function allowedToPeople(
  events: readonly EngineEvent[],
  questions: readonly Pick<Question, 'kind' | 'status' | 'call'>[],
  row: Pick<RunRow, 'options'>,
): MethodOutput<'run.at'>['legal'] {
  const kinds = new Map(questions.filter(isOpen).map(({ call, kind }) => [call, kind] as const));
  const isOfChart = optionsOf(row).ask !== undefined;
  return events.flatMap(({ type, callId, verdict, guard, data }) => {
    const own = type === 'confirm.decide' ? ownVerdict[kinds.get(Number(callId)) ?? ''] : undefined;
    if (isOfChart && own === undefined && verdict === 'modify') return [];
    if (own !== undefined && verdict === 'approve') return [];
    const word = own !== undefined && verdict === 'modify' ? own : verdict;
    return {
      type,
      ...(typeof callId === 'number' && { callId: callName(callId) }),
      ...(typeof word === 'string' && { verdict: word }),
      ...(typeof guard === 'string' && { guard }),
      ...(typeof data === 'string' && { data }),
    };
  });
}

/** An event about one call in words: a question, an answer or a decision. */
export function sayingOf(call: number, { type, verdict, question, answer, given }: EngineEvent): string {
  if (given !== undefined) return `${callName(call)} result of the client`;
  if (type === 'tool.asked') return `${callName(call)} asks: ${(question as QuestionView).text}`;
  if (answer === undefined)
    return verdict === undefined ? callName(call) : `${callName(call)} ${String(verdict)}`;
  return `${callName(call)} answer: ${typeof answer === 'string' ? answer : JSON.stringify(answer)}`;
}

/**
 * What the row of a decision keeps besides its verdict. `answer`: as checked, undefined if the question is closed.
 * `resultHash`: of a client's result.
 */
export function recordOf(
  decision: ConfirmDecision,
  modified: CallInput | undefined,
  answer: Answer | undefined,
  resultHash: string | undefined,
): Omit<Decision, 'verdict' | 'at'> {
  const given = 'answer' in decision ? (answer ?? asGiven(decision.answer)) : undefined;
  return {
    ...('reason' in decision && decision.reason !== undefined && { reason: decision.reason }),
    ...(decision.by !== undefined && { by: decision.by }),
    ...(decision.verdict === 'modify' && { arguments: rawArguments(decision.arguments) }),
    ...(modified && { argumentsHash: modified.hash }),
    ...(given !== undefined && { answer: given }),
    ...(resultHash !== undefined && { resultHash }),
  };
}

/** New arguments as JSON; a text stays as it is, to the byte. @throws DetentError `INVALID_ARGUMENTS`. */
export function rawArguments(value: unknown): string {
  if (typeof value === 'string') return value;
  try {
    return JSON.stringify(value) ?? '';
  } catch (error) {
    throw new DetentError('INVALID_ARGUMENTS', `the new arguments are not JSON: ${messageOf(error)}`);
  }
}

function asGiven(answer: Answer | readonly string[]): Answer {
  if (typeof answer === 'string') return answer.trim();
  return Array.isArray(answer) ? [...answer] : (answer as Answer);
}

export function verdictOf({ decision, status }: Question): string {
  return decision?.verdict ?? status;
}

/** Whether the machine of a run takes an event from outside. */
export function isCommandOf({ commands, startEvent }: MachineHost, { type }: EngineEvent): boolean {
  return commands.has(type) || type === startEvent;
}

export function unknownCommand(
  { id }: RunRow,
  { type }: EngineEvent,
  known: ReadonlySet<string> = new Set(),
): DetentError {
  const own = [...known].filter((one) => !isReserved(one)).sort();
  const hint = didYouMean(type, own) || (own.length > 0 ? `; it takes ${own.join(', ')}` : '');
  return new DetentError('UNKNOWN_COMMAND', `run ${id} has no event "${type}"${hint}`);
}
