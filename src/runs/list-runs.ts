import type { RunOutcome } from '../../machines/run.types.ts';
import { beforeSkill } from '../ports/skill-marks.ts';
import { DetentError } from '../protocol/error.ts';
import { shown } from '../protocol/one-of.ts';
import { withoutTextFiles } from '../protocol/parts.ts';
import { type RunStatus, runStatuses } from '../protocol/run-view.ts';
import { parseMessage } from '../records/messages.ts';
import { optionsOf, outputOf } from '../records/stored-run.ts';
import type { RunRow } from '../store/rows.ts';
import { isImported } from './is-imported.ts';
import { type IsDriven, parentOf, statusAmongRuns } from './read-run-view.ts';
import type { Store } from './statements.ts';

/** A run in a list. Times are milliseconds since the epoch. */
export interface RunSummary {
  runId: string;
  sessionId: string;
  /** For a sub-run, the run whose call started it. */
  parentRunId?: string;
  parentCall?: string;
  status: RunStatus;
  /** Null until the run has ended, and for an imported one. */
  outcome: RunOutcome | null;
  agent: string;
  /** `provider/model`, as asked for. */
  model: string;
  /** The first words of its first message, on one line; empty without one. */
  prompt: string;
  /** What its model calls cost; null when no price of them is known. */
  costUsd: number | null;
  createdAt: number;
  updatedAt: number;
}

/** Which runs or sessions a list has. */
export interface ListFilter {
  limit: number;
  /** Only those in one of these. */
  status?: readonly RunStatus[] | undefined;
  /** Only those that moved at this time or later: milliseconds since the epoch. */
  since?: number | undefined;
  /** Only those of sessions of this user. Default, and for null: those of the whole tenant. */
  userId?: string | null | undefined;
}

export interface RunFilter extends ListFilter {
  session?: string | undefined;
}

/** Runs that one query reads while it looks for those that fit. */
const page = 500;
const longestPrompt = 200;

/** The runs of a tenant that fit, newest first. @throws DetentError `INVALID_ARGUMENTS`. */
export async function listRuns(
  store: Store,
  isDriven: IsDriven,
  tenant: number,
  filter: RunFilter,
): Promise<RunSummary[]> {
  checkFilter(filter);
  const { limit, status: wanted, since = 0 } = filter;
  const found: { row: RunRow; status: RunStatus }[] = [];
  for await (const row of rowsOf(store, tenant, filter)) {
    if (found.length >= limit) break;
    if (row.updatedAt < since) continue;
    const { status } = await statusAmongRuns(store, row, isDriven);
    if (!wanted || wanted.includes(status)) found.push({ row, status });
  }
  const oldest = found.reduce((at, { row }) => Math.min(at, row.createdAt), Number.MAX_SAFE_INTEGER);
  const costOf = await costs(store, tenant, 'run', oldest);
  return Promise.all(
    found.map(async ({ row, status }) => ({
      runId: row.id,
      sessionId: row.sessionKey,
      ...parentOf(optionsOf(row)),
      status,
      ...asked(row),
      prompt: await firstWords(store, row.session, row.pk, row.pk),
      costUsd: costOf(row.id),
      createdAt: row.createdAt,
      updatedAt: row.updatedAt,
    })),
  );
}

/** Without a filter that only the row itself can answer, no more rows are read than are shown. */
async function* rowsOf(
  store: Store,
  tenant: number,
  { session: key, limit, status, since, userId: user = null }: RunFilter,
): AsyncGenerator<RunRow> {
  const atOnce = status || since !== undefined ? page : limit;
  if (key !== undefined) {
    const session = await store.query('findSession', { tenant, key });
    const most = atOnce === limit ? limit : Number.MAX_SAFE_INTEGER;
    if (session && (user === null || session.user === user))
      yield* await store.query('listRunsOf', { session: session.pk, limit: most });
    return;
  }
  for (let below = Number.MAX_SAFE_INTEGER; ; ) {
    const place = { tenant, below, limit: atOnce };
    const rows =
      user === null
        ? await store.query('listRunsBefore', place)
        : await store.query('listUserRunsBefore', { ...place, user });
    yield* rows;
    const last = rows.at(-1);
    if (!last || rows.length < atOnce) return;
    below = last.pk;
  }
}

/** @throws DetentError `INVALID_ARGUMENTS` for a status that does not exist, a time that is none, or a user that is no text. */
export function checkFilter({ limit, status = [], since = 0, userId = null }: ListFilter): void {
  const unknown = status.find((word) => !runStatuses.includes(word));
  if (unknown !== undefined)
    throw refused(`there is no status "${unknown}"; there are ${runStatuses.join(', ')}`);
  if (!Number.isFinite(since)) throw refused(`since is a time in milliseconds since the epoch, not ${since}`);
  if (userId !== null && typeof userId !== 'string') throw refused(`userId is a text, not ${shown(userId)}`);
  if (!(limit >= 0)) throw refused(`limit is a number of at least 0, not ${limit}`);
}

function refused(message: string): DetentError {
  return new DetentError('INVALID_ARGUMENTS', message);
}

/** Who was asked, and what came of it. */
export function asked(row: RunRow): Pick<RunSummary, 'outcome' | 'agent' | 'model'> {
  const { agent = 'default', model } = optionsOf(row);
  return { outcome: isImported(row) ? null : (outputOf(row)?.outcome ?? null), agent, model };
}

/**
 * The beginning of the first message of the user in these runs of a session, by their `pk`: without the text of a skill
 * and of attached files.
 */
export async function firstWords(store: Store, session: number, from: number, to: number): Promise<string> {
  const row = await store.query('firstUserMessage', { session, from, to });
  const { words } = withoutTextFiles(row ? beforeSkill(parseMessage(row).body.text) : '');
  const line = words
    .slice(0, longestPrompt * 4)
    .replaceAll(/\s+/g, ' ')
    .trim();
  const characters = Array.from(line);
  return characters.length > longestPrompt ? `${characters.slice(0, longestPrompt - 1).join('')}…` : line;
}

/** Looks up what each run or session cost, in the ledger of model calls from a time on. */
export async function costs(
  store: Store,
  tenant: number,
  by: 'run' | 'session',
  from: number,
): Promise<(key: string) => number | null> {
  const end = Number.MAX_SAFE_INTEGER;
  const range = { from, to: end, sessionKey: null, user: null, runId: null, limit: end };
  const sums = new Map(
    (await store.query('sumUsage', { tenant, by, ...range })).map((sum) => [sum.key, sum]),
  );
  return (key) => {
    const sum = sums.get(key);
    if (!sum) return 0;
    const hasTokens = sum.inputTokens + sum.outputTokens > 0;
    return hasTokens && sum.unpriced === sum.calls ? null : sum.costUsd;
  };
}
