import { ask } from '../../src/runs/rows/statements.ts';
import { noDriver, type RunRow } from '../../src/store/rows.ts';
import type { Store } from '../../src/store/store.ts';
import { type FlowContext, type FlowOutput, type OpenService, subRunId } from '../../src/store/stored-run.ts';

/** Drivers of the rows below: one that lives, and one that has ended. */
export const living = 1;
export const dead = 2;

export const isDriven = ({ driver }: Pick<RunRow, 'driver'>): boolean => driver === living;

interface Columns {
  id: string;
  sessionKey?: string;
  machine: string;
  state: unknown;
  context: object;
  input?: object;
  options?: object;
  output?: object;
  seq?: number;
  driver?: number | null;
  lastDriver?: number | null;
  fence?: number;
}

/** Writes a run as a driver would have left it. */
export async function writeRun(store: Store, columns: Columns): Promise<RunRow> {
  const tenant = 1;
  const { id, sessionKey: key = `s:${id}`, machine, input = {}, options = {}, output = null } = columns;
  const { seq = 1, driver = noDriver, lastDriver = driver || living, fence = 1 } = columns;
  const found = await store.query('findSession', { tenant, key });
  await store.commit(function* () {
    const { pk: session } = found ?? (yield* ask('insertSession', { tenant, key, user: null, at: 1_000 }));
    const last = yield* ask('lastOrdinal', { session });
    yield* ask('insertRun', {
      tenant,
      id,
      session,
      ordinal: (last?.ordinal ?? 0) + 1,
      machine,
      version: 1,
      seq,
      ended: output === null ? 0 : 1,
      state: JSON.stringify(columns.state),
      context: JSON.stringify(columns.context),
      input: JSON.stringify(input),
      options: JSON.stringify(options),
      output: output && JSON.stringify(output),
      driver,
      lastDriver,
      fence,
      createdAt: 1_000,
    });
  });
  return loadRun(store, id);
}

/** The next transition of a run that was written so. */
export async function moveRun(
  store: Store,
  id: string,
  to: Pick<Columns, 'state' | 'context' | 'output'>,
): Promise<void> {
  const { pk, seq, fence, driver } = await loadRun(store, id);
  const { output, ...moved } = to;
  const state = JSON.stringify(moved.state);
  const context = JSON.stringify(moved.context);
  const next = { pk, was: seq, wasDriver: driver, seq: seq + 1, fence, state, context, updatedAt: 2_000 };
  await store.commit(function* () {
    if (output) yield* ask('endRun', { ...next, output: JSON.stringify(output) });
    else yield* ask('advanceRun', next);
  });
}

export async function loadRun(store: Store, id: string): Promise<RunRow> {
  const row = await store.query('loadRun', { tenant: 1, id });
  if (!row) throw new Error(`no run ${id}`);
  return row;
}

/** The effects of a run, each as `2 started 1`: its number, what became of it, its attempt. */
export async function loadEffects(store: Store, id: string): Promise<string[]> {
  const rows = await store.query('listEffects', { run: (await loadRun(store, id)).pk, after: 0 });
  return rows.map(({ n, status, attempt }) => `${n} ${status} ${attempt}`);
}

/** The run of an agent that answers, or asks a person. */
export function writeAgentRun(store: Store, id: string, over: Partial<Columns> = {}): Promise<RunRow> {
  const state = { active: { working: { thinking: 'requesting' } } };
  return writeRun(store, { id, machine: 'run', state, context: { pending: [] }, driver: living, ...over });
}

export const asking = { active: 'awaitingConfirm' };

/** The run of a workflow "trip" that has these services open. */
export function writeWorkflow(
  store: Store,
  open: readonly OpenService[],
  over: Partial<Columns> = {},
): Promise<RunRow> {
  const options = {
    machine: 'workflow:trip',
    chart: 'h',
    limits: { tokens: null, costUsd: null },
    budget: null,
  };
  return writeRun(store, {
    id: 'run_w',
    machine: 'workflow:trip',
    state: 'booking',
    context: flow(open),
    options,
    ...over,
  });
}

export function flow(open: readonly OpenService[], over: Partial<FlowContext> = {}): FlowContext {
  return {
    user: { city: 'Bonn' },
    input: null,
    count: Math.max(0, ...open.map(({ n }) => n)),
    open,
    delayed: {},
    history: {},
    spent: { tokens: 0, costUsd: 0 },
    tainted: [],
    end: null,
    ...over,
  };
}

/** A `run` has begun. */
export function service(kind: OpenService['kind'], n = 1, id = `s${n}`): OpenService {
  return { kind, id, n, src: id, first: n, attempt: 1, ...(kind === 'run' && { linked: true }) };
}

export const child = (n: number, parent = 'run_w') => subRunId(parent, n);

export const done: FlowOutput = { outcome: 'done', output: { booked: true }, error: null };
