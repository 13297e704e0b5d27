import type { Input } from '#src/client/index.ts';
import { unfinishedStatuses } from '#src/protocol/enums.ts';
import { foldedBelow } from '#src/protocol/views.ts';
import { asking, isLeft, type RunRow } from '../../data/runs.ts';

export const times = ['today', 'week', 'all'] as const;
type Time = (typeof times)[number];

/** What the address says about which runs are shown. */
export interface Filters {
  words: string;
  session: string;
  model: string;
  /** A column of the board; empty for all. */
  state: string;
  time: Time;
}

/** The gateway takes no more. */
const longestWords = 200;

/** The columns of the board, in the order of the rail. Those that ended come last; `workflow` has all states of charts. */
const columns = [
  'unstarted',
  'interrupted',
  'idle',
  'thinking',
  'tooling',
  'compacting',
  'awaitingConfirm',
  'reconciling',
  'workflow',
  'done',
  'failed',
  'cancelled',
] as const;
type Column = (typeof columns)[number];
export const endedColumns: readonly string[] = ['done', 'failed', 'cancelled'];

const seldom: readonly Column[] = ['unstarted', 'interrupted', 'workflow'];

/** The columns that the board shows: without workflows it has none for them, nor for runs at rest. */
export function shownColumns(counts: Readonly<Record<string, number>>, chosen: string): Column[] {
  const has = (column: Column) => (counts[column] ?? 0) > 0 || chosen === column;
  return columns.filter((column) => !seldom.includes(column) || has(column));
}

/** The column of a run. */
function columnOf({ state, workflow, status }: Pick<RunRow, 'state' | 'workflow' | 'status'>): string {
  if (status === 'unstarted') return status;
  if (workflow === undefined) return isLeft({ status }) ? 'interrupted' : state;
  if (status === 'queued') return 'idle';
  return endedColumns.includes(status) ? status : 'workflow';
}

export function filtersOf(query: URLSearchParams): Filters {
  const text = (name: string) => query.get(name) ?? '';
  return {
    words: text('q').slice(0, longestWords),
    session: text('session'),
    model: text('model'),
    state: columns.find((state) => state === text('state')) ?? '',
    time: times.find((time) => time === text('time')) ?? 'today',
  };
}

export function isFiltered({ words, session, model, state }: Filters): boolean {
  return [words, session, model, state].some((text) => text !== '');
}

/** The beginning of the range, on the reader's clock; undefined for all time. */
export function sinceOf(time: Time, now: number): number | undefined {
  if (time === 'all') return undefined;
  const midnight = new Date(now);
  midnight.setHours(0, 0, 0, 0);
  if (time === 'week') midnight.setDate(midnight.getDate() - 6);
  return midnight.getTime();
}

type ListInput = Input<'run.list'>;

/** What has not ended is shown whenever it began: it may wait for a person since last week. Null where the filter leaves none of it. */
export function activeInput(filters: Filters): ListInput | null {
  if (endedColumns.includes(filters.state)) return null;
  return {
    ...shared(filters),
    status: [...unfinishedStatuses],
    limit: 200,
  };
}

export function endedInput(filters: Filters, now: number, limit: number): ListInput | null {
  const { state } = filters;
  if (state !== '' && !endedColumns.includes(state)) return null;
  const since = sinceOf(filters.time, now);
  return {
    ...shared(filters),
    status: state === '' ? ['done', 'failed', 'cancelled'] : [state as 'done' | 'failed' | 'cancelled'],
    ...(since !== undefined && { since }),
    limit,
  };
}

function shared({ words, session, model }: Filters): ListInput {
  return {
    course: true,
    ...(words !== '' && { words }),
    ...(session !== '' && { sessionId: session }),
    ...(model !== '' && { model }),
  };
}

/** How many ask a person; those, or what stands above them, those that wait for a resume, and the others; of one state, if one is chosen. */
export function grouped(
  active: readonly RunRow[],
  { state }: Filters,
): { asks: number; waiting: FoldedRun[]; left: FoldedRun[]; working: FoldedRun[] } {
  const lines = folded(state === '' ? active : active.filter((run) => columnOf(run) === state));
  // As the navigation counts them, whatever the filter leaves.
  const own = new Set(asking(active));
  const asksOf = ({ run, below }: FoldedRun) => [run, ...below].filter((one) => own.has(one)).length;
  const waiting = lines.filter((line) => asksOf(line) > 0);
  const others = lines.filter((line) => !waiting.includes(line));
  return {
    asks: waiting.reduce((sum, line) => sum + asksOf(line), 0),
    waiting,
    left: others.filter(({ run }) => isLeft(run)),
    working: others.filter(({ run }) => !isLeft(run)),
  };
}

/** The models that a person may choose from: those of the runs that are shown, and the chosen one. */
export function modelsOf(runs: readonly RunRow[], chosen: string): string[] {
  const models = new Set(runs.map(({ model }) => model).filter(Boolean));
  if (chosen !== '') models.add(chosen);
  return [...models].sort();
}

/** A run of a list, and the runs below it at any depth, which the list shows under it. */
export interface FoldedRun {
  run: RunRow;
  below: readonly RunRow[];
}

/** Runs whose parent is in the same list stand under it, so that one question is there once. */
export function folded(runs: readonly RunRow[]): FoldedRun[] {
  const listed = foldedBelow(
    runs,
    ({ runId }) => runId,
    ({ parentRunId }) => parentRunId,
  );
  return listed.map(({ top, below }) => ({ run: top, below }));
}
