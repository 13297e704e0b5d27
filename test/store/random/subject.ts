import type { Program } from '../../../src/store/program.ts';
import { noDriver, type RunRow } from '../../../src/store/rows.ts';
import type { Store } from '../../../src/store/store.ts';
import { ask } from '../../support/ask.ts';
import {
  confirmationInput,
  driverInput,
  effectInput,
  eventInput,
  requestKeyInput,
  runInput,
} from '../rows.ts';
import type { Op, Who } from './model.ts';

/** The keys that a database gave, in the order of their rows. */
interface Keys {
  sessions: number[];
  runs: number[];
  drivers: number[];
}

/** Performs the operations of the model on a store, for a tenant of their own. */
export class Subject {
  readonly #store: Store;
  readonly #tenant: number;
  #keys: Keys = { sessions: [], runs: [], drivers: [] };

  constructor(store: Store, tenant: number) {
    this.#store = store;
    this.#tenant = tenant;
  }

  /** The answers of a program; null if it fails. */
  async perform(ops: readonly Op[], fails: boolean): Promise<unknown[] | null> {
    const [tenant, before] = [this.#tenant, this.#keys];
    const program = function* (): Program<{ answers: unknown[]; keys: Keys }> {
      const keys = structuredClone(before);
      const answers: unknown[] = [];
      for (const op of ops) answers.push(yield* performed(op, tenant, keys));
      if (fails) throw new Error('it fails by itself');
      return { answers, keys };
    };
    try {
      const { answers, keys } = await this.#store.commit(program);
      this.#keys = keys;
      return answers;
    } catch (error) {
      if (!isExpected(error)) throw error;
      return null;
    }
  }
}

/** By itself, or at a constraint. */
function isExpected(error: unknown): boolean {
  return error instanceof Error && /fails by itself|constraint/i.test(error.message);
}

const at = (list: readonly number[], n: number) => list[n % Math.max(list.length, 1)] ?? 0;

function* performed(op: Op, tenant: number, keys: Keys): Program<unknown> {
  const run = 'run' in op ? at(keys.runs, op.run) : 0;
  const session = 'session' in op ? at(keys.sessions, op.session) : 0;
  const driver = (who: Who) => (who === null ? null : who === 'none' ? noDriver : at(keys.drivers, who));
  const indexOf = (key: number | null): Who =>
    key === null ? null : key === noDriver ? 'none' : keys.drivers.indexOf(key);
  const shown = (row: RunRow | undefined) =>
    row
      ? {
          id: Number(row.id.split(' ')[1]),
          session: keys.sessions.indexOf(row.session),
          ordinal: row.ordinal,
          seq: row.seq,
          ended: row.ended,
          driver: indexOf(row.driver),
          last: row.lastDriver === null ? null : keys.drivers.indexOf(row.lastDriver),
          fence: row.fence,
          faults: row.faults,
        }
      : null;
  const id = (n: number) => `run ${n}`;
  const on = { run, tenant };
  switch (op.do) {
    case 'insertSession':
      keys.sessions.push((yield* ask('insertSession', { tenant, key: `s${op.key}`, user: null, at: 1 })).pk);
      return 'made';
    case 'insertRun': {
      const made = yield* ask('insertRun', runInput({ tenant, id: id(op.id), session, ordinal: op.ordinal }));
      keys.runs.push(made.pk);
      return 'made';
    }
    case 'insertDriver':
      keys.drivers.push((yield* ask('insertDriver', driverInput())).epoch);
      return 'made';
    case 'loadRun':
      return shown(yield* ask('loadRun', { tenant, id: id(op.id) }));
    case 'laneHead':
      return shown(yield* ask('laneHead', { session }));
    case 'listActiveRunsOf':
      return (yield* ask('listActiveRunsOf', { session })).map((row) => shown(row)?.id);
    case 'lastOrdinal':
      return (yield* ask('lastOrdinal', { session }))?.ordinal ?? null;
    case 'findEffect': {
      const row = yield* ask('findEffect', { run, n: op.n });
      return row ? { status: row.status, attempt: row.attempt, fence: row.fence, input: row.input } : null;
    }
    case 'listTimers':
      return (yield* ask('listTimers', { run })).map((row) => [Number(row.id), row.dueAt]);
    case 'listConfirmations':
      return (yield* ask('listConfirmations', { run })).map(({ call, n, status, holder, heldUntil }) => [
        call,
        n,
        status,
        holder === null ? null : Number(holder),
        heldUntil,
      ]);
    case 'findRequestKey': {
      const row = yield* ask('findRequestKey', { tenant, name: `k${op.name}` });
      return row ? { driver: row.driver, effect: row.effect, answer: row.answer } : null;
    }
    case 'advanceRun':
    case 'endRun': {
      const was = { pk: run, was: op.was, fence: op.fence, wasDriver: driver(op.driver) };
      const to = { seq: op.was + 1, state: '"s"', context: '{}', updatedAt: 2 };
      return yield* op.do === 'endRun'
        ? ask('endRun', { ...was, ...to, output: null })
        : ask('advanceRun', { ...was, ...to });
    }
    case 'claimRun':
      return yield* ask('claimRun', { pk: run, seen: op.seen, me: at(keys.drivers, op.driver) });
    case 'passRun':
      return yield* ask('passRun', { pk: run, driver: driver(op.driver) });
    case 'countFault':
      return yield* ask('countFault', { pk: run });
    case 'deleteRunsOf':
      return yield* ask('deleteRunsOf', { session });
    case 'endDriver':
      return yield* ask('endDriver', { epoch: at(keys.drivers, op.driver), at: 3 });
    case 'abandonRunsOf':
      return yield* ask('abandonRunsOf', { driver: at(keys.drivers, op.driver) });
    case 'insertEvent':
      return yield* ask('insertEvent', eventInput({ ...on, seq: op.seq, inFeed: 0 }));
    case 'insertEffect':
      return yield* ask('insertEffect', effectInput({ ...on, ...of(op), input: 'x' }));
    case 'startEffect':
      return yield* ask('startEffect', { run, ...of(op), attempts: op.attempts, driver: 1, at: 4 });
    case 'settleEffect':
      return yield* ask('settleEffect', { run, n: op.n, status: op.status, at: 4 });
    case 'closeEffect':
      return yield* ask('closeEffect', { run, n: op.n, at: 4 });
    case 'uncountAttempt':
      return yield* ask('uncountAttempt', { run, n: op.n, fence: op.fence });
    case 'setTimer':
      return yield* ask('setTimer', { ...on, id: String(op.id), event: 'due', dueAt: op.dueAt });
    case 'clearTimer':
      return yield* ask('clearTimer', { run, id: String(op.id) });
    case 'fireTimer':
      return yield* ask('fireTimer', { run, id: String(op.id), dueAt: op.dueAt });
    case 'insertConfirmation':
      return yield* ask('insertConfirmation', confirmationInput({ ...on, call: op.call }));
    case 'decideConfirmation':
      return yield* ask('decideConfirmation', { run, call: op.call, status: op.status, decision: '{}' });
    case 'holdCall': {
      const { call, holder, until, now } = op;
      return yield* ask('holdCall', { run, call, holder: String(holder), until, now });
    }
    case 'releaseCall':
      return yield* ask('releaseCall', { run, call: op.call, holder: String(op.holder) });
    case 'insertRequestKey':
      return yield* ask(
        'insertRequestKey',
        requestKeyInput({ tenant, name: `k${op.name}`, driver: op.driver, effect: null, run: null }),
      );
    case 'passRequestKey':
      return yield* ask('passRequestKey', { tenant, name: `k${op.name}`, was: op.was, driver: op.driver });
    case 'noteRequestKey':
      return yield* ask('noteRequestKey', { tenant, name: `k${op.name}`, effect: 'noted' });
    case 'answerRequestKey':
      return yield* ask('answerRequestKey', {
        tenant,
        name: `k${op.name}`,
        driver: op.driver,
        answer: 'said',
      });
    case 'deleteRequestKey':
      return yield* ask('deleteRequestKey', { tenant, name: `k${op.name}`, driver: op.driver });
  }
}

const of = <S>({ n, status, fence }: { n: number; status: S; fence: number }) => ({ n, status, fence });
