import { confirmVerdicts, reconcileVerdicts } from '../../../machines/run.types.ts';
import { installationName, longestHoldMs } from '../../protocol/enums.ts';
import { DetentError } from '../../protocol/error.ts';
import { isObject, oneOf, shown } from '../../protocol/json.ts';
import type { ConfirmDecision, ReconcileDecision } from './decisions.ts';
import type { Claim } from './held-calls.ts';

/**
 * Checks a decision on a call before anything is written. Programs without types can pass any value.
 *
 * @throws DetentError `INVALID_VERDICT`; `INVALID_ARGUMENTS` for `modify` without arguments, and for a field of another
 * type.
 */
export function checkConfirm(given: ConfirmDecision): void {
  const decision = fieldsOf(given);
  const verdict = oneOf(
    decision.verdict,
    [...confirmVerdicts, 'answer', 'result'],
    'the verdict',
    'INVALID_VERDICT',
  );
  checkTexts(decision, 'hash', 'by', 'reason', 'installation');
  if (decision.mayApprove !== undefined && typeof decision.mayApprove !== 'boolean')
    throw wrongField('mayApprove', 'true or false', decision.mayApprove);
  if (verdict === 'approve' && decision.grant !== undefined && !isObject(decision.grant))
    throw wrongField('grant', 'an object', decision.grant);
  if (verdict === 'result') checkResult(decision);
  if (verdict === 'modify') {
    const { arguments: changed } = decision;
    if (!isObject(changed) && (typeof changed !== 'string' || changed.trim() === ''))
      throw wrongField('arguments', 'an object, or its JSON', changed);
  }
}

/** The same for a verdict on an interrupted call. @throws DetentError `INVALID_VERDICT`, `INVALID_ARGUMENTS`. */
export function checkReconcile(given: ReconcileDecision): void {
  const decision = fieldsOf(given);
  oneOf(decision.verdict, reconcileVerdicts, 'the verdict', 'INVALID_VERDICT');
  checkTexts(decision, 'result', 'by');
}

/** Checks the claim of a program without types. @throws DetentError `INVALID_ARGUMENTS`. */
export function checkClaim(claim: Claim): Claim {
  const { installation, holdMs } = claim;
  checkInstallation(installation);
  if (!Number.isInteger(holdMs) || holdMs < 1 || holdMs > longestHoldMs)
    throw new DetentError(
      'INVALID_ARGUMENTS',
      `holdMs is a number of milliseconds, at most ${longestHoldMs}, not ${shown(holdMs)}`,
    );
  return claim;
}

/** The same of the name of an installation. @throws DetentError `INVALID_ARGUMENTS`. */
export function checkInstallation(installation: unknown): string {
  if (typeof installation === 'string' && installationName.test(installation)) return installation;
  throw new DetentError(
    'INVALID_ARGUMENTS',
    `an installation is a text of 1 to 128 characters without control characters, not ${shown(installation)}`,
  );
}

/** The maximum that Detent stores of any tool's output. */
const maxResult = 16_000_000;

function checkResult({ result, isError }: Record<string, unknown>): void {
  if (typeof result !== 'string') throw wrongField('result', 'a text', result);
  if (isError !== undefined && typeof isError !== 'boolean')
    throw wrongField('isError', 'true or false', isError);
  if (result.length > maxResult)
    throw new DetentError(
      'RESULT_TOO_LARGE',
      `the result of a call has at most ${maxResult} characters, and this one has ${result.length}: shorten it`,
      { details: { max: maxResult } },
    );
}

function fieldsOf(given: unknown): Record<string, unknown> {
  if (isObject(given)) return given;
  throw new DetentError('INVALID_VERDICT', `a decision is an object with a verdict, not ${shown(given)}`);
}

function checkTexts(decision: Record<string, unknown>, ...names: readonly string[]): void {
  for (const name of names)
    if (decision[name] !== undefined && typeof decision[name] !== 'string')
      throw wrongField(name, 'a text', decision[name]);
}

function wrongField(name: string, expected: string, value: unknown): DetentError {
  return new DetentError('INVALID_ARGUMENTS', `${name} of a decision is ${expected}, not ${shown(value)}`);
}
