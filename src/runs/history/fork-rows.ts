import { whyAsked } from '../../call/messages.ts';
import { takeEffects } from '../../engine/log.ts';
import { DetentError } from '../../protocol/error.ts';
import type { MethodOutput } from '../../protocol/methods.ts';
import type { Program } from '../../store/program.ts';
import type { EffectRow, RunRow } from '../../store/rows.ts';
import {
  type AskedBody,
  bodyOf,
  type CallInput,
  callName,
  type Decision,
  isOpenEffect,
  type Question,
  whyModified,
  withoutRewrite,
} from '../../store/stored-call.ts';
import type { ToolBody } from '../../store/stored-message.ts';
import { serviceOf } from '../flows/flow-names.ts';
import { ask, tell } from '../rows/statements.ts';
import type { WholeStory } from '../story/read-story.ts';
import type { Target } from './copy-run.ts';
import type { LoadedRun } from './load-at.ts';
import type { ConfirmationAt, EffectAt, RunAt } from './rows-at.ts';

/** An open effect of a fork. It does not start before the fork is resumed. */
export type OpenEffect = MethodOutput<'run.fork'>['open'][number];

const openStatus: Readonly<Record<EffectAt['status'], EffectRow['status']>> = {
  held: 'held',
  open: 'pending',
  uncertain: 'uncertain',
  done: 'done',
  cancelled: 'cancelled',
};

/** An effect as a fork at a transition has it. */
type ForkedEffect = Pick<EffectRow, 'n' | 'name' | 'params' | 'input' | 'status' | 'attempt'>;

/** The effects that were requested up to the transition: settled ones stay settled, open ones have no attempt yet. */
export function* effectsAt({ row, was, story }: LoadedRun): Program<ForkedEffect[]> {
  const effects: ForkedEffect[] = [];
  yield* takeEffects(row.pk, (effect) => {
    const then = was.effects.get(effect.n);
    if (!then) return;
    const { name, params } = then;
    const isOpen = isOpenEffect(then);
    effects.push({
      n: effect.n,
      name,
      params,
      input: isOpen ? madeAgain(inputAt(row, effect, was, story)) : null,
      status: openStatus[then.status],
      attempt: isOpen ? 0 : effect.attempt,
    });
  });
  return effects;
}

/** Those that have no result. */
export function openOf(effects: readonly ForkedEffect[], redact: (text: string) => string): OpenEffect[] {
  return effects.filter(isOpenEffect).map(({ n, name, params, status, input }) => {
    const call = input === null ? null : (JSON.parse(input) as CallInput);
    const service = serviceOf(params);
    return {
      effect: n,
      name,
      status: status as OpenEffect['status'],
      ...(call && { callId: callName(n), tool: call.name, arguments: redact(call.arguments) }),
      ...(service !== null && { service }),
    };
  });
}

export function* copyEffects(
  effects: readonly ForkedEffect[],
  run: number,
  { tenant, at }: Target,
): Program<void> {
  for (const effect of effects)
    yield* tell('insertEffect', { ...effect, run, tenant, driver: null, fence: 0, at });
}

/**
 * Marks a call of the original as copied: approvals of the original do not hold for the fork. A question has no side
 * effect, so it is not marked.
 */
function madeAgain(input: string | null): string | null {
  if (input === null) return null;
  const call = JSON.parse(input) as CallInput;
  return call.question || call.client ? input : JSON.stringify({ ...call, again: true });
}

/** The bytes to execute at that transition: a person may have changed the arguments later. */
function inputAt(row: RunRow, { n, input }: EffectRow, was: RunAt, story: WholeStory): string | null {
  if (input === null) {
    const lost = inputFromLog(row, n, was, story);
    return lost && JSON.stringify(lost);
  }
  // A call that runs again in the fork asks its questions again.
  const { answers: _, ...then } = withoutRewrite(JSON.parse(input) as CallInput);
  if (was.modified.has(n)) return JSON.stringify(then);
  const { asked, modified: isModified, answer, result, ...call } = then;
  if (answer !== undefined || result !== undefined) return JSON.stringify(call);
  return JSON.stringify(isModified && asked ? { ...call, ...asked } : then);
}

/** The questions to people as they were at that transition, those about one call in their order. */
export function* questionsAt(
  { row, was, story }: LoadedRun,
  redact: (text: string) => string,
): Program<Question[]> {
  const questions: Question[] = [];
  for (const [call, asked] of Map.groupBy(story.questions, ({ call }) => call))
    for (const then of was.confirmations.get(call) ?? []) {
      const same = asked.find((one) => isSameQuestion(one, then));
      // An older version of Detent kept only the last question about a call; the first one comes from the call itself.
      const stored = same ?? (yield* firstQuestion(row, asked[0] as Question, then, { ...story, redact }));
      const { askedAt, status } = then;
      const kind = same?.kind ?? then.kind;
      const said = same?.decision ?? (JSON.parse(redact(JSON.stringify(then.decision))) as Decision);
      const decision = status === 'open' ? null : { ...said, copied: true as const };
      questions.push({ ...stored, call, kind, status, askedAt, decision });
    }
  return questions;
}

export function* copyQuestions(
  questions: readonly Question[],
  run: number,
  { tenant }: Target,
): Program<void> {
  for (const question of questions) {
    const { call, kind, hash, askedAt, status, decision } = question;
    const body = JSON.stringify(bodyOf(question));
    yield* ask('insertConfirmation', { call, kind, hash, body, askedAt, run, tenant });
    if (decision) yield* ask('decideConfirmation', { run, call, status, decision: JSON.stringify(decision) });
  }
}

/** The machine only requests decisions; only the row knows that one of them answers `ask_user`, or is a client's. */
function isSameQuestion(stored: Question, then: ConfirmationAt): boolean {
  if (stored.askedAt !== then.askedAt) return false;
  const { key } = stored;
  if (then.asked) return key === then.asked.key;
  const isOfModel = stored.kind === 'client' || (stored.kind === 'question' && !key);
  return stored.kind === then.kind || (isOfModel && then.kind === 'confirm');
}

function* firstQuestion(
  row: RunRow,
  { call, hash, ...last }: Question,
  then: ConfirmationAt,
  { calls, redact }: Pick<WholeStory, 'calls'> & { redact: (text: string) => string },
): Program<Pick<Question, 'hash'> & AskedBody> {
  const effect = yield* ask('findEffect', { run: row.pk, n: call });
  const logged = calls.get(call);
  const stored = effect?.input
    ? withoutRewrite(JSON.parse(effect.input) as CallInput)
    : logged && { why: '', ...logged, hash };
  if (!stored) return { hash, ...last };
  const { name, asked, ...input } = { asked: undefined, ...stored };
  const { arguments: raw, why, hash: shown } = asked ?? input;
  const question = then.asked
    ? { name, arguments: raw, why: whyAsked.question, ...then.asked }
    : { name, arguments: raw, why };
  return { ...JSON.parse(redact(JSON.stringify(question))), hash: shown };
}

/**
 * The input of a call at an earlier transition, for a call that was settled since: its row no longer has the input.
 * Null for an effect that is no tool call.
 *
 * @throws DetentError `INPUT_NOT_STORED` when its arguments had a known secret, because the log does not have secrets.
 */
function inputFromLog(row: RunRow, n: number, was: RunAt, { calls }: WholeStory): CallInput | null {
  const call = calls.get(n);
  if (!call) return null;
  // What a person was asked before the call began. An older version of Detent kept only the last question about a call.
  const [first] = call.questions;
  const { preview, version, question, key, asIs, decides }: Partial<Question> = first ?? {};
  const { arguments: changed, argumentsHash: hash = '', answer } = decisionOf(first, was, n);
  const { name, arguments: raw, why = '' } = call;
  const asked = { arguments: raw, why, hash: first?.hash ?? '' };
  const input: CallInput = {
    name,
    ...asked,
    ...(why.startsWith('guarded: ') && { guarded: true }),
    ...(preview !== undefined && { preview: { text: preview, ...(version !== undefined && { version }) } }),
    ...(question && key === undefined && { question }),
    ...(answer !== undefined && { answer }),
    ...(asIs === true && { asIs }),
    ...(decides && { decides }),
    ...(first?.kind === 'client' && clientsOwn(was.modified.has(n), call.result)),
    ...(changed !== undefined && { arguments: changed, why: whyModified, hash, modified: true, asked }),
  };
  if (`${input.arguments}${JSON.stringify(answer)}`.includes('[redacted:')) throw notStored(row, n, was);
  return input;
}

/** Of a client's own call, with its result, if it had given one by then, as the model read it. */
function clientsOwn(isGiven: boolean, result: ToolBody | null): Pick<CallInput, 'client' | 'result'> {
  if (!isGiven || !result) return { client: true };
  const { text, isError } = result;
  return { client: true, result: { text, ...(isError && { isError }) } };
}

/** What a person had decided about the call by then. Older databases may have another question in its row. */
function decisionOf(
  question: Question | undefined,
  was: RunAt,
  n: number,
): Pick<Decision, 'arguments' | 'argumentsHash' | 'answer'> {
  const then = was.confirmations.get(n)?.[0];
  const answer = then?.asked ? undefined : then?.decision?.answer;
  if (!question || question.kind === 'client' || !was.modified.has(n))
    return answer === undefined ? {} : { answer };
  const { arguments: shown, hash, decision } = question;
  return { arguments: decision?.arguments ?? shown, argumentsHash: decision?.argumentsHash ?? hash };
}

function notStored(row: RunRow, n: number, { seq }: RunAt): DetentError {
  return new DetentError(
    'INPUT_NOT_STORED',
    `run ${row.id} cannot be forked at seq ${seq}: call ${callName(n)} was open then, and its arguments had a secret, which is not stored; fork before the call was made, or after it`,
    { details: { runId: row.id, callId: callName(n), seq } },
  );
}
