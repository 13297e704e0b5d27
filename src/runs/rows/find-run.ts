import { notFound } from '../../engine/commit.ts';
import { DetentError } from '../../protocol/error.ts';
import type { RunRow } from '../../store/rows.ts';
import { isWorkflowRun, optionsOf } from '../../store/stored-run.ts';
import type { Store } from './statements.ts';

/** The word for the newest run, wherever a person names a run. */
const newestWord = 'last';

/** Candidates that the error about an ambiguous beginning lists. */
const maxListed = 10;

/**
 * The id of the run that a person means: a whole id, a beginning that no other run of the tenant has, or `last`. A
 * sub-run is named by its parent, a dot and the call: `run_x1.c4`, `last.c4`.
 *
 * @throws DetentError `NOT_FOUND`, or `AMBIGUOUS_RUN`, which lists the candidates.
 */
export async function findRunId(store: Store, tenant: number, word: string): Promise<string> {
  if (await store.query('loadRun', { tenant, id: word })) return word;
  const [, top = word, below = ''] = /^([^.]+)(\..+)$/.exec(word) ?? [];
  const id = (await findTopRun(store, tenant, top)) + below;
  if (below !== '' && !(await store.query('loadRun', { tenant, id }))) throw notFound(id);
  return id;
}

/** @throws DetentError `NOT_FOUND`. */
export async function findRow(store: Store, tenant: number, runId: string): Promise<RunRow> {
  const row = await store.query('loadRun', { tenant, id: runId });
  if (!row) throw notFound(runId);
  return row;
}

/** The newest run of a tenant that is not a sub-run. @throws DetentError `NOT_FOUND` when there is none. */
export async function newestRun(store: Store, tenant: number): Promise<RunRow> {
  const newest = await store.query('newestRun', { tenant });
  if (!newest)
    throw new DetentError('NOT_FOUND', 'there are no runs here yet; start one with: detent run "PROMPT"');
  return newest;
}

async function findTopRun(store: Store, tenant: number, word: string): Promise<string> {
  if (word === newestWord) return (await newestRun(store, tenant)).id;
  if (word === '') throw notFound(word);
  // Higher than every character that an id has.
  const range = { tenant, from: word, below: `${word}\u{10ffff}`, limit: maxListed + 1 };
  const ids = (await store.query('listRunIds', range)).map(({ id }) => id);
  const [only, ...others] = ids;
  if (only === undefined) throw notFound(word);
  if (others.length === 0) return only;
  const listed = `${ids.slice(0, maxListed).join(', ')}${ids.length > maxListed ? ', …' : ''}`;
  throw new DetentError(
    'AMBIGUOUS_RUN',
    `several runs begin with "${word}": ${listed}; type more of the id`,
    {
      details: { word, runIds: ids.slice(0, maxListed) },
    },
  );
}

/** @throws DetentError `TAKES_NO_MESSAGES` for a run that hears nothing that is said in its session. */
export function refuseUnheard(row: Pick<RunRow, 'id' | 'machine' | 'options' | 'ended'>): void {
  const { id: runId } = row;
  if (isWorkflowRun(row))
    throw new DetentError(
      'TAKES_NO_MESSAGES',
      `run ${runId} is of a workflow, which takes events and no messages; see which with "detent runs why ${runId}"`,
      { details: { runId } },
    );
  if (!row.ended && optionsOf(row).call)
    throw new DetentError(
      'TAKES_NO_MESSAGES',
      `run ${runId} makes one call and asks no model, so it takes no messages; see what it waits for with "detent runs show ${runId}"`,
      { details: { runId } },
    );
}
