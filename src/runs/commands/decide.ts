import { endApproval, grantFor, writeGrant } from '../../call/policy.ts';
import { notFound } from '../../engine/commit.ts';
import type { Engine } from '../../engine/engine.ts';
import { DetentError } from '../../protocol/error.ts';
import type { Toolbox } from '../../protocol/ports.ts';
import type { Program } from '../../store/program.ts';
import type { RunRow } from '../../store/rows.ts';
import { callName, type Decision, isOpen, noCall, type Question } from '../../store/stored-call.ts';
import { optionsOf } from '../../store/stored-run.ts';
import {
  type ConfirmDecision,
  checkVerdict,
  Decided,
  type DecisionResult,
  newestQuestion,
  recordOf,
  verdictOf,
} from '../decisions/decisions.ts';
import { refuseHeld } from '../decisions/held-calls.ts';
import { type Command, type Letter, settlesWith } from '../decisions/mailbox.ts';
import {
  answeredInput,
  type CallPlace,
  changedInput,
  resultHash,
  resultInput,
} from '../decisions/new-input.ts';
import { type FourEyes, oneSuffices, refuseOthers, refuseWithoutRight } from '../decisions/own-request.ts';
import { findRow } from '../rows/find-run.ts';
import { ask, type Store } from '../rows/statements.ts';

export interface DecisionParts {
  engine: Engine;
  store: Store;
  toolbox: Toolbox;
  /** The workspace of a tenant, and its tools. */
  partsOf(tenant: number): Promise<CallPlace>;
  redact(text: string): string;
  /** Whether calls of a tool must be approved by another person than the one who asked for them. */
  fourEyes?: FourEyes;
}

type Confirm = Extract<Command, { kind: 'confirm' }>;
type Reconcile = Extract<Command, { kind: 'reconcile' }>;

interface Deciding<C extends Command = Confirm | Reconcile> {
  tenant: number;
  runId: string;
  command: C;
  letter: Letter;
}

/** What the row of a decision keeps, and how its run gets it. */
interface Prepared extends Pick<Parameters<Engine['send']>[2], 'event' | 'before' | 'writes'> {
  asked: Omit<Decision, 'at'>;
}

/**
 * Delivers a decision on a call.
 *
 * @throws DetentError `NOT_FOUND`, `NOT_WAITING`, what is wrong with the decision, and what the delivery throws.
 */
export async function decide(parts: DecisionParts, deciding: Deciding): Promise<DecisionResult> {
  const { tenant, runId, command, letter } = deciding;
  const { engine, store, redact } = parts;
  const { kind, call: callId, key, notes } = command;
  const { asked, ...delivery } =
    command.kind === 'confirm'
      ? await confirmation(parts, { ...deciding, command })
      : reconciliation(parts, command);
  try {
    const applied = appliedDecision(asked);
    const once = { key, notes, ...settlesWith(letter, applied) };
    const receipt = await engine.send(tenant, runId, { ...delivery, ...once });
    // A repeated command gets the result of the first.
    if (receipt.kind === 'moved' || receipt.kind === 'duplicate') return applied;
  } catch (error) {
    if (!(error instanceof Decided)) throw error;
    return lateResult(error.question, asked, redact);
  }
  const row = await store.query('loadRun', { tenant, id: runId });
  if (!row) throw notFound(runId);
  const earlier = await store.commit(() => newestQuestion(row.pk, callId, kind));
  if (earlier && !isOpen(earlier)) return lateResult(earlier, asked, redact);
  throw new DetentError(
    'NOT_WAITING',
    `call c${callId} of run ${runId}: the run no longer waits for this decision (${asked.verdict})`,
  );
}

async function confirmation(
  parts: DecisionParts,
  { tenant, runId, command }: Deciding<Confirm>,
): Promise<Prepared> {
  const { call: callId, decision } = command;
  const { verdict, hash, by } = decision;
  const { change, answered, given, grant } = await saidBy(parts, tenant, runId, command);
  const input = change?.input ?? answered?.input ?? given;
  const { redact, fourEyes = oneSuffices } = parts;
  const proof = verdict === 'result' ? resultHash(decision) : undefined;
  const asked = { verdict, ...recordOf(decision, change?.input, answered?.answer, proof) };
  return {
    asked,
    event: {
      type: 'confirm.decide',
      callId,
      // To the machine an answer, or a result, is a change of the call's arguments.
      verdict: verdict === 'answer' || verdict === 'result' ? 'modify' : verdict,
      ...(given && {
        given: { chars: given.result?.text.length, isError: given.result?.isError === true },
      }),
      ...(answered && { answer: answered.answer }),
      ...('reason' in decision && decision.reason !== undefined && { reason: decision.reason }),
      ...(hash !== undefined && { hash }),
      ...(by !== undefined && { by }),
      ...(change && { class: change.sideEffect }),
    },
    *before(row, at) {
      const open = yield* openConfirmation(row, callId, 'confirm', hash);
      checkVerdict(row.id, open, verdict);
      refuseWithoutRight(row, open, decision);
      refuseHeld(row, open, decision, at);
      if (verdict === 'approve' || verdict === 'modify') yield* refuseOthers(row, open, by, fourEyes);
      const granted = grant ? { grant: yield* writeGrant(row, callId, grant, { by, at, redact }) } : {};
      const status = verdict === 'approve' ? 'approved' : verdict === 'reject' ? 'rejected' : 'modified';
      yield* ask('decideConfirmation', {
        run: row.pk,
        call: open.call,
        status,
        decision: redact(JSON.stringify({ ...asked, at, ...granted })),
      });
      if (input) yield* ask('changeEffectInput', { run: row.pk, n: callId, input: JSON.stringify(input) });
    },
    *writes(scope) {
      if (decision.mayApprove === false) yield* endApproval(scope.row);
    },
  };
}

/** The fields of a decision; which of them count depends on its verdict. */
interface Said {
  change?: Awaited<ReturnType<typeof changedInput>>;
  answered?: Awaited<ReturnType<typeof answeredInput>>;
  given?: Awaited<ReturnType<typeof resultInput>>;
  grant?: Awaited<ReturnType<typeof grantFor>>;
}

/** The input, answer or grant of a decision, in the form in which the call gets it. */
async function saidBy(
  parts: DecisionParts,
  tenant: number,
  runId: string,
  { call: callId, decision }: { call: number; decision: ConfirmDecision },
): Promise<Said> {
  const { verdict } = decision;
  if (verdict === 'reject' || (verdict === 'approve' && !decision.grant)) return {};
  const { store, partsOf } = parts;
  const row: RunRow = await findRow(store, tenant, runId);
  checkChartDecision(row, callId, decision);
  if (verdict === 'answer') return { answered: await answeredInput(store, row, callId, decision.answer) };
  if (verdict === 'result') return { given: await resultInput(store, row, callId, decision) };
  if (verdict === 'approve')
    return { grant: decision.grant && (await grantFor(parts, row, callId, decision.grant)) };
  const place = { store, ...(await partsOf(tenant)) };
  return { change: await changedInput(place, row, callId, decision.arguments) };
}

function reconciliation(
  { fourEyes = oneSuffices }: DecisionParts,
  { call: callId, decision }: Reconcile,
): Prepared {
  const { verdict, by } = decision;
  const said = { verdict, ...(by !== undefined && { by }) };
  const result = decision.verdict === 'ran' ? decision.result : undefined;
  return {
    asked: { verdict },
    event: { type: 'tool.reconcile', callId, ...said, ...(result !== undefined && { result }) },
    *before(row, at) {
      const open = yield* openConfirmation(row, callId, 'reconcile', undefined);
      if (verdict === 'retry') yield* refuseOthers(row, open, by, fourEyes);
      const decided = JSON.stringify({ ...said, at } satisfies Decision);
      yield* ask('decideConfirmation', { run: row.pk, call: callId, status: 'settled', decision: decided });
    },
  };
}

/** The result of a decision that is the first one. */
export function appliedDecision({ verdict }: { verdict: string }) {
  return { applied: true, verdict, stands: true };
}

/**
 * The result of a decision that came after another one. A repeated decision succeeds if both are equal, including
 * arguments, answers and results.
 */
function lateResult(
  earlier: Question,
  asked: Omit<Decision, 'at'>,
  redact: (text: string) => string,
): DecisionResult {
  const verdict = verdictOf(earlier);
  // The row has redacted text.
  const mine = JSON.parse(redact(JSON.stringify(asked))) as Decision;
  const isSame = (field: 'arguments' | 'answer' | 'resultHash') =>
    JSON.stringify(earlier.decision?.[field]) === JSON.stringify(mine[field]);
  return {
    applied: false,
    verdict,
    stands: verdict === mine.verdict && isSame('arguments') && isSame('answer') && isSame('resultHash'),
  };
}

/**
 * Checks a decision on a chart's own question, which is approved or rejected unchanged: the chart continues with its
 * own input, and asks each time.
 *
 * @throws DetentError `WRONG_VERDICT` for other arguments, and for a grant.
 */
function checkChartDecision(row: RunRow, call: number, decision: ConfirmDecision): void {
  const isChange = decision.verdict === 'modify' || (decision.verdict === 'approve' && decision.grant);
  if (!isChange || optionsOf(row).ask === undefined) return;
  throw new DetentError(
    'WRONG_VERDICT',
    `call ${callName(call)} of run ${row.id} is a question of a workflow: approve or reject it as it is, with "detent runs confirm ${row.id} ${callName(call)} --approve" or --reject`,
    { details: { callId: callName(call), verdict: decision.verdict } },
  );
}

/** @throws Decided, DetentError `NOT_FOUND`, `HASH_MISMATCH`. */
function* openConfirmation(
  row: RunRow,
  call: number,
  command: 'confirm' | 'reconcile',
  hash: string | undefined,
): Program<Question> {
  const found = yield* newestQuestion(row.pk, call, command);
  if (!found) throw noCall(row.id, call);
  if (!isOpen(found)) throw new Decided(found);
  if (hash !== undefined && hash !== found.hash)
    throw new DetentError(
      'HASH_MISMATCH',
      `call c${call} of run ${row.id} has other arguments than those you saw; look again with "detent runs show ${row.id}"`,
      { details: { callId: `c${call}`, expected: found.hash, given: hash } },
    );
  return found;
}
