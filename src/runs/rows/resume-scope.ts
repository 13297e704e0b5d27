import { checkAddress } from '../../agent/model-call.ts';
import { notFound } from '../../engine/commit.ts';
import { providerOf } from '../../models/provider-config.ts';
import { refuseUnknownFields } from '../../protocol/json.ts';
import type { Endpoint, ModelDirectory } from '../../protocol/ports.ts';
import type { RunRow } from '../../store/rows.ts';
import { agentMachine, optionsOf } from '../../store/stored-run.ts';
import type { Store } from './statements.ts';

/** The runs to resume: one, with those of its session, or all of a session. */
export type ResumeScope = { runId: string } | { sessionId: string };

/** An address that a flag or a program names for runs that exist. */
export interface NamedAddress {
  endpoint: Endpoint;
  /** Needed for a session: the address is for its runs of this model's provider. */
  model?: string;
}

/** The key of the session's row; undefined when there is no such session. @throws DetentError `NOT_FOUND`, `INVALID_ARGUMENTS`. */
export async function sessionOf(
  store: Store,
  tenant: number,
  scope: ResumeScope,
): Promise<number | undefined> {
  refuseUnknownFields(scope, ['runId', 'sessionId'], 'a scope of resume', 'INVALID_ARGUMENTS');
  if ('sessionId' in scope) return (await store.query('findSession', { tenant, key: scope.sessionId }))?.pk;
  const row = await store.query('loadRun', { tenant, id: scope.runId });
  if (!row) throw notFound(scope.runId);
  return row.session;
}

/** The runs of a session that have not ended. */
export function activeRuns(store: Store, session: number): Promise<RunRow[]> {
  return store.query('listActiveRunsOf', { session });
}

/**
 * Names the address of the agents' runs in a scope again.
 *
 * @param active the runs of the session that have not ended, in their order
 * @throws DetentError `ADDRESS_NOT_NAMED` when the run, or the first one of the session, needs an address that nothing names.
 */
export function nameAddresses(
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
