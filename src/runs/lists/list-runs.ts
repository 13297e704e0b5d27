import { pathOf } from '../../engine/machine.ts';
import type { Reach } from '../../protocol/access.ts';
import { withoutTextFiles } from '../../protocol/content.ts';
import { runStatuses } from '../../protocol/enums.ts';
import { DetentError } from '../../protocol/error.ts';
import { refuseUnknownFields, shown } from '../../protocol/json.ts';
import type { MethodOutput } from '../../protocol/methods.ts';
import { beforeSkill } from '../../protocol/ports.ts';
import type { RunStatus } from '../../protocol/views.ts';
import type { Row, RunRow } from '../../store/rows.ts';
import { type RunOptions, shownModel } from '../../store/run-options.ts';
import { isOpen, type Question } from '../../store/stored-call.ts';
import { parseMessage } from '../../store/stored-message.ts';
import { isWorkflowRun, kindsOf, optionsOf } from '../../store/stored-run.ts';
import { kindOf } from '../kinds/kind-of.ts';
import { type IsDriven, statusAmongRuns } from '../rows/run-status.ts';
import { shownSpent } from '../rows/spent-by.ts';
import type { Store } from '../rows/statements.ts';
import { parentOf, runsBelow } from '../rows/sub-run-rows.ts';
import { ratingView } from '../story/conversation-view.ts';
import { readQuestions } from '../story/read-story.ts';
import { coursesOf } from './course.ts';

/** A run in a list. Times are milliseconds since the epoch. */
export type RunSummary = MethodOutput<'run.list'>['runs'][number];

/** Which runs or sessions a list has. */
export interface ListFilter {
  limit: number;
  /** Only those in one of these. */
  status?: readonly RunStatus[] | undefined;
  /** Only those that moved at this time or later: milliseconds since the epoch. */
  since?: number | undefined;
  /** Only those of sessions of this user. Default, and for null: those of the whole tenant. */
  userId?: string | null | undefined;
  /** Only those of these agents and workflows. Default: of all. */
  reach?: Reach | undefined;
}

export interface RunFilter extends ListFilter {
  sessionId?: string | undefined;
  /** Only those of this model, `provider/model`. */
  model?: string | undefined;
  /** Only those with these words in their first message, their id or the key of their session. */
  words?: string | undefined;
  /** Whether each run has its course: a run that has not ended is in its last state until now. */
  course?: boolean | undefined;
}

/** Runs that one query reads while it looks for those that fit. */
const page = 500;
/** Maximum runs that are searched for words: each takes a query. */
const maxLookedThrough = 2_000;
const longestPrompt = 200;

const filterFields: readonly string[] = [
  'sessionId',
  'status',
  'since',
  'model',
  'words',
  'course',
  'limit',
  'userId',
  'reach',
] satisfies (keyof RunFilter)[];

/** The runs of a tenant that fit, newest first. @throws DetentError `INVALID_ARGUMENTS`. */
export async function listRuns(
  store: Store,
  isDriven: IsDriven,
  tenant: number,
  filter: RunFilter,
  now: number,
): Promise<RunSummary[]> {
  refuseUnknownFields(filter, filterFields, 'a filter of runs', 'INVALID_ARGUMENTS');
  checkFilter(filter);
  const { limit, status: wanted, since = 0, model, words = '', reach } = filter;
  const kinds = kindsOf(reach);
  const found: { row: RunRow; status: RunStatus }[] = [];
  let looked = 0;
  for await (const row of rowsOf(store, tenant, filter)) {
    if (found.length >= limit || looked >= maxLookedThrough) break;
    if (row.updatedAt < since || (model !== undefined && shownModel(optionsOf(row)) !== model)) continue;
    if (kinds !== null && !(await store.query('findRunOwner', { tenant, id: row.id, reach: kinds })))
      continue;
    if (words !== '' && ++looked && !(await hasWords(store, row, words))) continue;
    const { status } = await statusAmongRuns(store, row, isDriven);
    if (!wanted || wanted.includes(status)) found.push({ row, status });
  }
  const rows = found.map(({ row }) => row);
  const courses = filter.course ? await coursesOf(store, rows, now) : null;
  const oldest = found.reduce((at, { row }) => Math.min(at, row.createdAt), Number.MAX_SAFE_INTEGER);
  const costOf = await costs(store, tenant, 'run', oldest);
  const [first] = filter.sessionId === undefined ? [] : rows;
  const ratings = first ? await store.query('listRatings', { session: first.session }) : [];
  return Promise.all(
    found.map(async ({ row, status }) => ({
      runId: row.id,
      sessionId: row.sessionKey,
      ...originsOf(optionsOf(row)),
      status,
      ...(await standing(store, row)),
      ...kindOf(row).asked(row),
      ...(courses && { course: courses.get(row.pk) ?? [] }),
      prompt: await promptOf(store, row),
      costUsd: isWorkflowRun(row) ? (await shownSpent(store, row)).costUsd : costOf(row.id),
      ...ratingsOf(ratings.filter(({ run }) => run === row.pk)),
      createdAt: row.createdAt,
      updatedAt: row.updatedAt,
    })),
  );
}

function ratingsOf(rows: readonly Row<'ratings'>[]): Pick<RunSummary, 'ratings'> {
  return rows.length === 0 ? {} : { ratings: rows.toSorted((a, b) => a.seq - b.seq).map(ratingView) };
}

/** Where a run comes from: its parent, or the original of a fork. */
function originsOf(options: RunOptions): Pick<RunSummary, 'parentRunId' | 'parentCall' | 'forkedFrom'> {
  const { forkedFrom } = options;
  return { ...parentOf(options), ...(forkedFrom && { forkedFrom }) };
}

/** Reads no more rows than are shown, unless a filter must be checked on each row. */
async function* rowsOf(
  store: Store,
  tenant: number,
  { sessionId: key, limit, status, since, model, words, reach, userId: user = null }: RunFilter,
): AsyncGenerator<RunRow> {
  const isAny = !status && since === undefined && model === undefined && !words && !reach;
  const atOnce = isAny ? limit : page;
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

/** @throws DetentError `INVALID_ARGUMENTS` for an unknown status, an invalid time, or a user that is not a text. */
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

async function hasWords(store: Store, row: RunRow, words: string): Promise<boolean> {
  const wanted = words.toLowerCase();
  if (row.id.startsWith(words) || row.sessionKey.toLowerCase().includes(wanted)) return true;
  return (await promptOf(store, row)).toLowerCase().includes(wanted);
}

/** The state of a run for lists, with its open questions or its error. */
export async function standing(
  store: Store,
  row: RunRow,
): Promise<Pick<RunSummary, 'state' | 'asks' | 'asksStaff' | 'error'>> {
  const kind = kindOf(row);
  const state = kind.stateOf(pathOf(JSON.parse(row.state)));
  const error = kind.error(row);
  if (error) return { state, error: { code: error.code, message: error.message } };
  const below = kind.waitsInProcess ? [] : await asksBelow(store, row);
  if (!kind.isAsking(row)) return below.length > 0 ? { state, ...namesOf(below) } : { state };
  return { state, ...namesOf([...(await asksOf(store, row)), ...below]) };
}

function namesOf(questions: readonly Question[]): Pick<RunSummary, 'asks' | 'asksStaff'> {
  const staffs = questions.filter(({ decides }) => decides === 'staff');
  return {
    asks: questions.map(({ name }) => name),
    ...(staffs.length > 0 && { asksStaff: staffs.map(({ name }) => name) }),
  };
}

async function asksOf(store: Store, row: RunRow): Promise<Question[]> {
  return (await readQuestions(store, row)).filter(isOpen);
}

/** The open questions of the runs that a workflow waits for. */
async function asksBelow(store: Store, row: RunRow): Promise<Question[]> {
  const asks: Question[] = [];
  for await (const child of runsBelow(store, row))
    if (kindOf(child).isAsking(child)) asks.push(...(await asksOf(store, child)));
  return asks;
}

/**
 * How many runs are in each state now, and how many ended in each since a time. Workflows under way are `workflow`, forks that
 * nobody has resumed `unstarted`, and runs of agents that were at work when their process ended `interrupted`, until one goes on
 * with them.
 *
 * @param isLive whether a driver, by its epoch, lives
 */
export async function countRuns(
  store: Store,
  isLive: (driver: number) => boolean,
  tenant: number,
  {
    userId: user = null,
    reach: reached,
    since = 0,
  }: { userId?: string | null; reach?: Reach; since?: number },
): Promise<Record<string, number>> {
  const counts = new Map<string, number>();
  const whose = { tenant, user, reach: kindsOf(reached) };
  const active = await store.query('countActiveRuns', whose);
  const ended = await store.query('countEndedRuns', { ...whose, since });
  for (const [rows, isEnded] of [
    [active, false],
    [ended, true],
  ] as const)
    for (const { machine, state: value, unstarted, driver = null, runs } of rows) {
      const kind = kindOf({ machine });
      const path = pathOf(JSON.parse(value));
      const named = kind.countedAs(path, isEnded);
      const mayRest = !isEnded && !kind.isAskingPath(path);
      const isDriven = driver !== null && isLive(driver);
      // The state does not say whether a workflow has work of its own.
      const isLeft = mayRest && named !== 'workflow' && path !== kind.firstPath && !isDriven;
      const state = mayRest && unstarted === 1 ? 'unstarted' : isLeft ? 'interrupted' : named;
      counts.set(state, (counts.get(state) ?? 0) + runs);
    }
  return Object.fromEntries(counts);
}

/** What a run was asked, on one line. */
export async function promptOf(store: Store, row: RunRow): Promise<string> {
  const given = kindOf(row).prompt(row);
  return given === null ? firstWords(store, row.session, row.pk, row.pk) : onOneLine(given);
}

/**
 * The beginning of the first message of the user in these runs of a session, by their `pk`: without the text of a skill
 * and of attached files.
 */
export async function firstWords(store: Store, session: number, from: number, to: number): Promise<string> {
  const row = await store.query('firstUserMessage', { session, from, to });
  const { words } = withoutTextFiles(row ? beforeSkill(parseMessage(row).body.text) : '');
  return onOneLine(words);
}

/** How many messages are searched for the last answer with text. */
const newest = 6;

/** The beginning of the last answer in a session. */
export async function lastWords(store: Store, session: number): Promise<string> {
  const place = { session, run: Number.MAX_SAFE_INTEGER, limit: newest };
  for (const row of await store.query('listMessagesBefore', place)) {
    if (row.role !== 'assistant') continue;
    const { text } = parseMessage(row).body as { text: string };
    if (text.trim() !== '') return onOneLine(text);
  }
  return '';
}

function onOneLine(words: string): string {
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
  const range = { from, to: end, sessionKey: null, user: null, runId: null, reach: null, limit: end };
  const sums = await store.query('sumUsage', { tenant, by, ...range });
  const costOf = new Map(sums.map(({ key, costUsd }) => [key, costUsd]));
  return (key) => costOf.get(key) ?? (costOf.has(key) ? null : 0);
}
