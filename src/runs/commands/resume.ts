import { checkAddress } from '../../agent/model-call.ts';
import { notFound } from '../../engine/commit.ts';
import type { EachRun, Engine } from '../../engine/engine.ts';
import { providerOf } from '../../models/provider-config.ts';
import { DetentError } from '../../protocol/error.ts';
import { refuseUnknownFields } from '../../protocol/json.ts';
import type { Endpoint, ModelDirectory } from '../../protocol/ports.ts';
import type { RunRow, TakeableRun } from '../../store/rows.ts';
import { agentMachine, isJobRun, optionsOf } from '../../store/stored-run.ts';
import { kindOf } from '../kinds/kind-of.ts';
import type { Store } from '../rows/statements.ts';
import { isOrphan, openSubRuns } from '../rows/sub-run-rows.ts';
import type { RunCommands } from './commands.ts';

/** The runs to resume: one, with those of its session, or all of a session. */
export type ResumeScope = { runId: string } | { sessionId: string };

/** An address that a flag or a program names for runs that exist. */
export interface NamedAddress {
  endpoint: Endpoint;
  /** Needed for a session: the address is for its runs of this model's provider. */
  model?: string;
}

export interface ResumeParts {
  engine: Engine;
  store: Store;
  /** Where the addresses of models are named. */
  models: Pick<ModelDirectory, 'nameAddress' | 'addressNow'>;
  report(error: unknown, runId: string): void;
  /** Where runs of other workspaces that are resumed here are at home from then on. */
  home?: { takeHere(row: TakeableRun): Promise<void> };
  /** They look when this process has taken runs over, and when others have written. */
  lookers?: readonly { look(): void }[];
}

interface Resuming {
  tenant: number;
  scope: ResumeScope | undefined;
  /** The address of the scope's model, again: for its run, or for the session's runs of that provider. */
  at: NamedAddress | null;
}

/**
 * Resumes the runs of one session, or all runs of every tenant. Returns the ids of this tenant's runs; of all on a server, those that
 * this process was handed at once.
 *
 * @throws DetentError `ADDRESS_NOT_NAMED` when the first run of the scope needs an address that nothing names now;
 * `DATABASE_MOVED` when one of the scope belongs to another place of the database; `CANNOT_DRIVE` when it needs what only
 * another program has. Without a scope such runs are reported, those of another place once together.
 */
export async function resumeRuns(
  runs: Pick<RunCommands, 'cancel' | 'deliver'>,
  { engine, store, models, report, home, lookers = [] }: ResumeParts,
  { tenant, scope, at }: Resuming,
): Promise<string[]> {
  const session = scope && (await sessionOf(store, tenant, scope));
  if (scope && session === undefined) return [];
  if (scope && session !== undefined) nameAddresses(models, scope, await activeRuns(store, session), at);
  const taken: string[] = [];
  let refusal: Error | null = null;
  /** Runs of a server come later, too. */
  let isAnswered = false;
  let isMoveTold = false;
  const isReported = ({ id }: Pick<RunRow, 'id'>, refused: Error) => {
    if (isUnversioned(refused)) return !(scope && 'runId' in scope && scope.runId === id);
    // Runs of other programs on the database are no reason for this one not to start.
    return !scope && isOfAnotherProgram(refused);
  };
  const each: EachRun = async (row, refused) => {
    // The schedule has its own way with jobs.
    if (isJobRun(row)) {
      if (refused && isUnversioned(refused)) report(refused, row.id);
      return;
    }
    if (await isOrphan(store, row))
      await runs.cancel(row.tenant, row.id, 'the run that started it had ended');
    if (!refused) {
      await home?.takeHere(row);
      if (row.tenant === tenant && !isAnswered) taken.push(row.id);
    } else if (isAnswered || isReported(row, refused)) {
      if (!isMoved(refused) || !isMoveTold) report(refused, row.id);
      isMoveTold ||= isMoved(refused);
    } else refusal ??= refused;
    return refused ? 'left' : undefined;
  };
  await engine.drive(session === undefined ? 'all' : { session }, each);
  if (session !== undefined) await resumeBelow(engine, store, await activeRuns(store, session), each);
  // What was left for these runs while no process drove them. Their own look comes later, or never in a store of one process.
  await runs.deliver().catch((error) => report(error, ''));
  for (const looker of lookers) looker.look();
  isAnswered = true;
  if (refusal) throw refusal;
  return taken;
}

/** No process waits with a workflow for the runs of its services, so whoever resumes it resumes them. */
async function resumeBelow(
  engine: Engine,
  store: Store,
  rows: readonly RunRow[],
  each: EachRun,
): Promise<void> {
  for (const row of rows) {
    if (kindOf(row).waitsInProcess) continue;
    const children = await openSubRuns(store, row);
    for (const { session } of children) await engine.drive({ session }, each);
    await resumeBelow(engine, store, children, each);
  }
}

/** Its sentence is about all runs of the other place. */
const movedCode = 'DATABASE_MOVED';

const othersReasons: ReadonlySet<string> = new Set([
  'CANNOT_DRIVE',
  'CHART_CHANGED',
  movedCode,
  'INVALID_WORKSPACE',
  'OTHER_WORKSPACE',
]);

function isMoved(error: Error): boolean {
  return DetentError.is(error) && error.code === movedCode;
}

function isUnversioned(error: Error): boolean {
  return DetentError.is(error) && error.code === 'MIGRATION_NEEDED';
}

function isOfAnotherProgram(error: Error): boolean {
  return DetentError.is(error) && othersReasons.has(error.code);
}

/** The key of the session's row; undefined when there is no such session. @throws DetentError `NOT_FOUND`, `INVALID_ARGUMENTS`. */
async function sessionOf(store: Store, tenant: number, scope: ResumeScope): Promise<number | undefined> {
  refuseUnknownFields(scope, ['runId', 'sessionId'], 'a scope of resume', 'INVALID_ARGUMENTS');
  if ('sessionId' in scope) return (await store.query('findSession', { tenant, key: scope.sessionId }))?.pk;
  const row = await store.query('loadRun', { tenant, id: scope.runId });
  if (!row) throw notFound(scope.runId);
  return row.session;
}

/** The runs of a session that have not ended. */
function activeRuns(store: Store, session: number): Promise<RunRow[]> {
  return store.query('listActiveRunsOf', { session });
}

/**
 * Names the address of the agents' runs in a scope again.
 *
 * @param active the runs of the session that have not ended, in their order
 * @throws DetentError `ADDRESS_NOT_NAMED` when the run, or the first one of the session, needs an address that nothing names.
 */
function nameAddresses(
  models: Pick<ModelDirectory, 'nameAddress' | 'addressNow'>,
  scope: ResumeScope,
  active: readonly RunRow[],
  at: NamedAddress | null,
): void {
  const inScope = 'runId' in scope ? active.filter(({ id }) => id === scope.runId) : active;
  const rows = inScope.filter(({ machine }) => machine === agentMachine);
  for (const { model, endpoint } of at ? rows.map(optionsOf) : [])
    if (at && ('runId' in scope || (at.model && providerOf(at.model) === providerOf(model))))
      models.nameAddress(model, endpoint, at.endpoint);
  const [first] = rows;
  if (first) checkAddress(models, first);
}
