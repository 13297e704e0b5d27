import { DetentError } from '../../protocol/error.ts';
import type { Toolbox } from '../../protocol/ports.ts';
import type { SideEffect } from '../../protocol/tool.ts';
import type { Answer } from '../../protocol/views.ts';
import type { RunRow } from '../../store/rows.ts';
import {
  argumentsHash,
  type CallInput,
  callName,
  isOpen,
  noCall,
  questionOf,
  whyModified,
} from '../../store/stored-call.ts';
import { optionsOf } from '../../store/stored-run.ts';
import type { Store } from '../rows/statements.ts';
import { checkedAnswer } from './answers.ts';
import { checkVerdict, rawArguments } from './decisions.ts';

/** Where calls of a tenant are made, and by which tools. */
export interface CallPlace {
  toolbox: Toolbox;
  /** Absolute; null for tenants without one. */
  workspace: string | null;
}

/**
 * The input of a call after a person has changed its arguments. Null when the call was settled already; the commit of the
 * decision reports that.
 *
 * @throws DetentError `NOT_FOUND`, and with the code of the refusal when the tool does not take the new arguments.
 */
export async function changedInput(
  { store, toolbox, workspace }: CallPlace & { store: Store },
  row: RunRow,
  callId: number,
  value: unknown,
): Promise<{ input: CallInput; sideEffect: SideEffect } | null> {
  const before = await inputOf(store, row, callId);
  if (!before) return null;
  if (before.client) checkVerdict(row.id, { call: callId, kind: 'client' }, 'modify');
  const { name, ...asked } = before;
  const raw = rawArguments(value);
  const options = optionsOf(row);
  // The person's change is also the approval, so policy checks only the tool and its arguments.
  const context = {
    runId: row.id,
    sessionId: row.sessionKey,
    allowed: options.tools,
    approve: 'all' as const,
    approveGiven: true,
    workspace,
  };
  const plan = await toolbox.plan(name, raw, context);
  if (plan.gate === 'refuse') throw new DetentError(plan.code, plan.text, { details: { callId, name } });
  if (plan.decides !== before.decides)
    throw new DetentError(
      'OTHER_DECIDER',
      `with these arguments call ${callName(callId)} is not for the same person to decide: reject it, with the reason, and let the agent ask again`,
      { details: { callId: callName(callId), ...(plan.decides && { decides: plan.decides }) } },
    );
  const input: CallInput = {
    name,
    arguments: raw,
    why: whyModified,
    hash: argumentsHash(raw),
    modified: true,
    ...(plan.guarded && { guarded: true }),
    ...(before.decides && { decides: before.decides }),
    asked: { arguments: asked.arguments, why: asked.why, hash: asked.hash },
  };
  return { input, sideEffect: plan.sideEffect };
}

/**
 * The input of a call after a person has answered its question, whether the model or the running call asked it. Null when
 * there is no open question; the commit of the decision reports that.
 *
 * @throws DetentError `NOT_FOUND`, `INVALID_ANSWER`.
 */
export async function answeredInput(
  store: Store,
  row: RunRow,
  callId: number,
  answer: unknown,
): Promise<{ input: CallInput; answer: Answer } | null> {
  const input = await inputOf(store, row, callId);
  if (!input) return null;
  const newest = await store.query('findConfirmation', { run: row.pk, call: callId });
  const asked = newest?.kind === 'question' && isOpen(newest) ? questionOf(newest) : null;
  if (!asked?.question) return null;
  const { question, key } = asked;
  if (key === undefined) {
    const given = checkedAnswer(input.question ?? question, answer);
    return { input: { ...input, answer: given }, answer: given };
  }
  const given = checkedAnswer(question, answer);
  return { input: { ...input, answers: { ...input.answers, [key]: given } }, answer: given };
}

/**
 * The input of a call whose result the caller of the run gave. Null when the call does not wait for one; the commit of the
 * decision reports that.
 *
 * @throws DetentError `NOT_FOUND`.
 */
export async function resultInput(
  store: Store,
  row: RunRow,
  callId: number,
  { result: text, isError }: { result: string; isError?: boolean },
): Promise<CallInput | null> {
  const input = await inputOf(store, row, callId);
  if (!input?.client || input.result) return null;
  return { ...input, result: { text, ...(isError && { isError }) } };
}

/** What proves that a result is the same as another one. */
export function resultHash({ result, isError }: { result: string; isError?: boolean }): string {
  return argumentsHash(`${isError ? 'error' : 'result'}\n${result}`);
}

/** Null for a call that was settled. @throws DetentError `NOT_FOUND`. */
async function inputOf(store: Store, row: RunRow, callId: number): Promise<CallInput | null> {
  const effect = await store.query('findEffect', { run: row.pk, n: callId });
  if (!effect) throw noCall(row.id, callId);
  return JSON.parse(effect.input ?? 'null') as CallInput | null;
}
