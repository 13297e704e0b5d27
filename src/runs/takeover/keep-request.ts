import type { Program } from '../../store/program.ts';
import { noDriver, type RunRow } from '../../store/rows.ts';
import { type NextRun, takeoverOptionsOf } from '../../store/stored-run.ts';
import { ask, tell } from '../rows/statements.ts';
import { ofNext } from './begin-takeover.ts';

/** A request for a run that a takeover keeps: the run that it asks for, which answers if nobody else does. */
export interface KeptRequest extends NextRun {
  /** Of a request with a key: the id that its run would have, and its digest. */
  named?: { runId: string; digest: string };
}

/** Thrown in the commit that would keep a request: it was kept before. */
export class KeptBefore extends Error {
  /** The takeover that has it. */
  readonly runId: string;
  readonly digest: string;

  constructor(runId: string, digest: string) {
    super(runId);
    this.runId = runId;
    this.digest = digest;
  }
}

/** The row that says that a request with a key was kept, by the id that its run would have. It goes with the takeover. */
export function keptRow(runId: string): string {
  return `kept ${runId}`;
}

/**
 * Keeps what a request asks for, in the commit of its message to a takeover: the run that answers afterwards is as the newest
 * request wants it.
 *
 * @param mayApprove false: the sender may not approve calls, so that run asks about each
 * @throws KeptBefore
 */
export function* keepRequest(
  { pk, tenant, id, user, driver }: RunRow,
  keeps: KeptRequest | undefined,
  mayApprove: boolean,
): Program<void> {
  const now = yield* ask('loadRun', { tenant, id });
  if (!now) return;
  const { next: before, reason, summary } = takeoverOptionsOf(now);
  if (keeps?.named) {
    const { named } = keeps;
    const name = keptRow(named.runId);
    const found = yield* ask('findRequestKey', { tenant, name });
    if (found) throw new KeptBefore(JSON.parse(found.effect ?? '""'), found.digest);
    const at = now.updatedAt;
    const note = { tenant, name, owner: '', digest: named.digest, driver: driver ?? noDriver, at, run: pk };
    yield* tell('insertRequestKey', { ...note, effect: JSON.stringify(id) });
  }
  const next = keeps ? { options: keeps.options, limits: keeps.limits } : before;
  const checked = next && !mayApprove ? withoutApproval(next) : next;
  const options = {
    ...ofNext(checked, { tenant, user }),
    ...(reason && { reason }),
    ...(summary && { summary }),
  };
  yield* ask('changeRunOptions', { pk, options: JSON.stringify(options) });
}

function withoutApproval<T extends Pick<KeptRequest, 'options'>>(next: T): T {
  const { approveGiven, ...options } = next.options;
  return approveGiven ? { ...next, options: { ...options, approve: 'ask' } } : next;
}
