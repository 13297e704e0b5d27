import type { Reach } from '../../protocol/access.ts';
import type { MethodOutput } from '../../protocol/methods.ts';
import type { FeedRow } from '../../store/rows.ts';
import { kindsOf, workflowId } from '../../store/stored-run.ts';
import { kindOf } from '../kinds/kind-of.ts';
import { ask, type Store } from '../rows/statements.ts';

/**
 * Transitions of runs, in the order of their commits. The next page may begin further than one after the last event:
 * events of other users lie between.
 */
export interface FeedPage extends MethodOutput<'feed.list'> {}

/** A transition of a run, as the feed of its tenant has it. */
export type FeedEvent = FeedPage['events'][number];

interface FeedPlace {
  tenant: number;
  /** Only runs in sessions of this user; null for those of the whole tenant. */
  user: string | null;
  /** Default: the end of the feed. */
  after?: number | undefined;
  /** Only runs of these agents and workflows. Default: all. */
  reach?: Reach | undefined;
}

/** Maximum places of the feed in one page. It also limits the bytes, because a transition has only names here. */
const maxPlaces = 1_000;

/** The transitions of a tenant behind a place, each once, in the order of their commits. */
export async function readFeed(store: Store, { tenant, user, after, reach }: FeedPlace): Promise<FeedPage> {
  const head = (await store.query('feedHead', { tenant }))?.pos ?? (await begun(store, tenant));
  // A cursor of another database may be behind the end of this one.
  const begin = Math.min(after ?? head, head);
  const upTo = Math.min(head, begin + maxPlaces);
  const rows = upTo > begin ? await store.query('listFeed', { tenant, user, after: begin, upTo }) : [];
  const events = (await within(store, tenant, reach, rows)).map(
    ({ pos, machine, sessionKey, path, ended, ...row }): FeedEvent => {
      const kind = kindOf({ machine });
      return {
        ...{ cursor: pos, runId: row.runId, sessionId: sessionKey },
        ...(machine.startsWith('workflow:') && { workflow: workflowId({ machine }) }),
        ...{ seq: row.seq, at: row.at, type: row.type, state: kind.stateOf(path) },
        ...{ waits: kind.isAskingPath(path), ended: ended === 1 },
      };
    },
  );
  return { events, cursor: upTo, more: upTo < head };
}

/** The end of a feed that is read for the first time. */
async function begun(store: Store, tenant: number): Promise<number> {
  await store.commit(() => ask('beginFeed', { tenant }));
  return (await store.query('feedHead', { tenant }))?.pos ?? 0;
}

async function within(
  store: Store,
  tenant: number,
  reach: Reach | undefined,
  rows: FeedRow[],
): Promise<FeedRow[]> {
  const kinds = kindsOf(reach);
  if (kinds === null) return rows;
  const isSeen = new Map<string, boolean>();
  for (const id of new Set(rows.map(({ runId }) => runId)))
    isSeen.set(id, (await store.query('findRunOwner', { tenant, id, reach: kinds })) !== undefined);
  return rows.filter(({ runId }) => isSeen.get(runId));
}
