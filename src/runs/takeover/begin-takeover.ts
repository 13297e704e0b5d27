import type { TakeoverInput } from '../../../machines/takeover.machine.ts';
import { isOnlyCompaction } from '../../agent/hooks.ts';
import type { Creation } from '../../engine/commit.ts';
import type { AmongRuns } from '../../engine/engine.ts';
import type { CommitScope } from '../../engine/machine.ts';
import { DetentError } from '../../protocol/error.ts';
import type { Program } from '../../store/program.ts';
import type { RunRow } from '../../store/rows.ts';
import {
  agentMachine,
  isTakeover,
  isWorkflowRun,
  type NextRun,
  optionsOf,
  type TakeoverOptions,
  takeoverMachineId,
} from '../../store/stored-run.ts';
import { ask } from '../rows/statements.ts';

/** A takeover to be made, in a form that another process can read. */
export interface NewTakeover {
  /** Id of its run. */
  runId: string;
  /** Who takes over, as decisions name people; null: nobody has come yet. */
  by: string | null;
  reason?: string;
  summary?: string;
  expiresMs: number;
}

/** How many runs of a session are looked through for one of an agent. */
const lookedThrough = 20;

/** Why runs are cancelled that a takeover finds. */
export const cutReason = 'a person of the staff took the conversation over';

/**
 * Takes a session over in the commit that ends the run at the head of its lane: the runs behind that end, too, and the takeover
 * begins. One that waits for a person is taken instead.
 *
 * @throws DetentError `WORKFLOW_AT_WORK`.
 */
export function* replaceRuns(scope: CommitScope, among: AmongRuns, wanted: NewTakeover): Program<void> {
  const { row: cut } = scope;
  const { runId, by } = wanted;
  const left = yield* ask('listActiveRunsOf', { session: cut.session });
  for (const row of left) refuseWorkflow(row);
  const asked = left.find(isTakeover);
  for (const row of left)
    if (row !== asked)
      yield* among.deliver(row, { type: 'run.cancel', reason: cutReason, takeover: asked?.id ?? runId, by });
  if (asked && by !== null) yield* among.deliver(asked, { type: 'takeover.take', by });
  if (asked) return;
  const isUnanswered = [cut, ...left].some(isAnswering);
  yield* among.create(creationOf(cut, wanted, yield* nextRunOf(cut.session), isUnanswered));
}

/** What the engine makes of a takeover. */
export function creationOf(
  { tenant, sessionKey, user }: Pick<RunRow, 'tenant' | 'sessionKey' | 'user'>,
  { runId, by, reason, summary, expiresMs }: NewTakeover,
  next: NextRun | null,
  isUnanswered: boolean,
): Omit<Creation, 'at' | 'driver'> {
  return {
    tenant,
    id: runId,
    sessionKey,
    user,
    input: { by, isUnanswered, expiresMs } satisfies TakeoverInput,
    options: {
      ...ofNext(next, { tenant, user }),
      ...(reason !== undefined && { reason }),
      ...(summary !== undefined && { summary }),
    },
    *writes() {},
  };
}

/** The options of a takeover after which this run answers. */
export function ofNext(
  next: NextRun | null,
  { tenant, user }: Pick<RunRow, 'tenant' | 'user'>,
): Omit<TakeoverOptions, 'reason' | 'summary'> {
  const { agent, model = '', workspace = '', principal } = next?.options ?? {};
  return {
    machine: takeoverMachineId,
    ...(agent !== undefined && { agent }),
    model,
    endpoint: null,
    system: '',
    tools: [],
    approve: 'ask',
    workspace,
    principal: principal ?? { tenantId: tenant, userId: user, claims: {} },
    next,
  };
}

/** How the agent of a session would answer: as in its newest run. */
export function* nextRunOf(session: number): Program<NextRun | null> {
  const rows = yield* ask('listRunsOf', { session, limit: lookedThrough });
  for (const row of rows) {
    if (!isAnswering(row)) continue;
    const { requestDigest: _key, forkedFrom: _original, ...options } = optionsOf(row);
    return { options, limits: JSON.parse(row.input).limits };
  }
  return null;
}

/** Whether a run answers a prompt of the user. */
export function isAnswering(row: RunRow): boolean {
  if (row.machine !== agentMachine || isOnlyCompaction({ run: row })) return false;
  const { call, parentRunId } = optionsOf(row);
  return !call && parentRunId === undefined;
}

/** @throws DetentError `WORKFLOW_AT_WORK`. */
export function refuseWorkflow(row: RunRow): void {
  if (!isWorkflowRun(row)) return;
  throw new DetentError(
    'WORKFLOW_AT_WORK',
    `run ${row.id}, a workflow, is running in session "${row.sessionKey}", and a person cannot take over a workflow; wait for its end, or cancel it`,
    { details: { runId: row.id, sessionId: row.sessionKey } },
  );
}
