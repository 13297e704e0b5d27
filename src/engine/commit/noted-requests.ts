import { DetentError } from '../../protocol/error.ts';
import type { JsonValue } from '../../protocol/json.ts';
import type { Program } from '../../store/program.ts';
import { noDriver, type RunRow } from '../../store/rows.ts';
import { ask, tell } from './statements.ts';

/** A request with a key, and its result as JSON, which its commit stores. */
interface RequestNote {
  requestId: string;
  effect: JsonValue;
}

/** How a repeated command to a run is recognised. */
export interface Repeatable {
  /** The key that a program gave. It counts for this run alone, as long as the run is stored. */
  key?: string | undefined;
  /** The request that the command performs. */
  notes?: RequestNote | undefined;
}

/** Whether a command to a run was performed before. */
export function* isRepeated({ tenant, id }: RunRow, { key, notes }: Repeatable): Program<boolean> {
  const name = key === undefined ? notes?.requestId : commandRow(id, key);
  if (name === undefined) return false;
  const found = yield* ask('findRequestKey', { tenant, name });
  return found !== undefined && found.effect !== null;
}

/** Notes in the commit of a command that it was performed. @throws DetentError `REQUEST_UNDER_WAY`. */
export function* noteCommand(row: RunRow, { key, notes }: Repeatable, at: number): Program<void> {
  const { pk: run, tenant, id, driver } = row;
  if (key !== undefined)
    yield* tell('insertRequestKey', {
      tenant,
      name: commandRow(id, key),
      // Not a client's key: the limit that forgets the oldest keys of a client leaves it.
      owner: '',
      digest: '',
      driver: driver ?? noDriver,
      effect: 'null',
      at,
      run,
    });
  if (notes) yield* noteEffect(tenant, notes.requestId, notes.effect);
}

/**
 * Notes what a request did, in the commit that does it. So this commit fails when the request was done before.
 *
 * @param requestId the name of its key; without one nothing is noted
 * @throws DetentError `REQUEST_UNDER_WAY`.
 */
export function* noteEffect(tenant: number, requestId: string | undefined, effect: JsonValue): Program<void> {
  if (requestId === undefined) return;
  const note = { tenant, name: requestId, effect: JSON.stringify(effect) };
  if ((yield* ask('noteRequestKey', note)) === 0) throw underWay();
}

/** The row of a program's key. The names of clients' keys are digests. */
function commandRow(runId: string, key: string): string {
  return `command ${runId} ${key}`;
}

export function underWay(): DetentError {
  return new DetentError(
    'REQUEST_UNDER_WAY',
    'another process performs the request with this idempotencyKey: ask again later with the same key',
    { retryable: true },
  );
}
