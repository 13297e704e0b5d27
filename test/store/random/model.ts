/**
 * A plain model of the store: what the statements say of runs, without a database. Sessions, runs and drivers are named by their place
 * in the order in which they were made, because databases give keys of their own.
 */

/** What a driver's place may be where a run has one: `none` for a run at rest, `null` for one that wants a driver. */
export type Who = number | 'none' | null;

export type Op =
  | { do: 'insertSession'; key: number }
  | { do: 'insertRun'; session: number; id: number; ordinal: number }
  | { do: 'loadRun'; id: number }
  | { do: 'advanceRun' | 'endRun'; run: number; was: number; fence: number; driver: Who }
  | { do: 'claimRun'; run: number; seen: number; driver: number }
  | { do: 'passRun'; run: number; driver: Who }
  | { do: 'countFault'; run: number }
  | { do: 'deleteRunsOf' | 'lastOrdinal' | 'laneHead' | 'listActiveRunsOf'; session: number }
  | { do: 'insertDriver' }
  | { do: 'endDriver' | 'abandonRunsOf'; driver: number }
  | { do: 'insertEvent'; run: number; seq: number }
  | { do: 'insertEffect'; run: number; n: number; status: EffectStatus; fence: number }
  | {
      do: 'startEffect';
      run: number;
      n: number;
      status: 'started' | 'pending';
      fence: number;
      attempts: 0 | 1;
    }
  | { do: 'settleEffect'; run: number; n: number; status: 'done' | 'uncertain' | 'linked' }
  | { do: 'closeEffect'; run: number; n: number }
  | { do: 'findEffect'; run: number; n: number }
  | { do: 'uncountAttempt'; run: number; n: number; fence: number }
  | { do: 'setTimer' | 'fireTimer'; run: number; id: number; dueAt: number }
  | { do: 'clearTimer'; run: number; id: number }
  | { do: 'listTimers' | 'listConfirmations'; run: number }
  | { do: 'insertConfirmation'; run: number; call: number }
  | { do: 'decideConfirmation'; run: number; call: number; status: 'approved' | 'rejected' }
  | { do: 'holdCall'; run: number; call: number; holder: number; until: number; now: number }
  | { do: 'releaseCall'; run: number; call: number; holder: number }
  | { do: 'insertRequestKey'; name: number; driver: number }
  | { do: 'answerRequestKey'; name: number; driver: number }
  | { do: 'deleteRequestKey'; name: number; driver: number }
  | { do: 'passRequestKey'; name: number; was: number; driver: number }
  | { do: 'noteRequestKey'; name: number }
  | { do: 'findRequestKey'; name: number };

type EffectStatus = 'held' | 'pending' | 'started' | 'linked' | 'uncertain' | 'done';

/** A constraint stands in the way: the program fails, and has changed nothing. */
export class Conflict extends Error {}

interface Run {
  id: number;
  session: number;
  ordinal: number;
  seq: number;
  ended: 0 | 1;
  driver: Who;
  last: number | null;
  fence: number;
  faults: number;
  events: number[];
  effects: Record<number, { status: string; attempt: number; fence: number; input: string | null }>;
  timers: Record<number, number>;
  questions: Record<number, { n: number; status: string; holder: number | null; until: number | null }[]>;
}

interface State {
  sessions: number[];
  /** Undefined where one was deleted. */
  runs: (Run | undefined)[];
  /** Whether each lives. */
  drivers: boolean[];
  keys: Record<number, { driver: number; effect: string | null; answer: string | null }>;
}

const open = ['held', 'pending', 'started', 'linked', 'uncertain'];
const changed = (isSo: boolean) => (isSo ? 1 : 0);

export class Model {
  #state: State = { sessions: [], runs: [], drivers: [], keys: {} };

  /** The answers of a program; null if it fails, at a constraint or by itself at its end. */
  perform(ops: readonly Op[], fails: boolean): unknown[] | null {
    const before = structuredClone(this.#state);
    try {
      const answers = ops.map((op) => this.#answer(op));
      if (!fails) return answers;
    } catch (error) {
      if (!(error instanceof Conflict)) throw error;
    }
    this.#state = before;
    return null;
  }

  #answer(op: Op): unknown {
    const { sessions, runs, drivers, keys } = this.#state;
    const run = 'run' in op ? runs[op.run % Math.max(runs.length, 1)] : undefined;
    const needed = (): Run => {
      if (!run) throw new Conflict();
      return run;
    };
    const at = <T>(list: readonly T[], n: number) => (list.length === 0 ? -1 : n % list.length);
    const inLane = (session: number) =>
      runs
        .filter(
          (one): one is Run => one !== undefined && one.session === at(sessions, session) && one.ended === 0,
        )
        .toSorted((a, b) => a.ordinal - b.ordinal);
    const who = (driver: Who): Who => (typeof driver === 'number' ? at(drivers, driver) : driver);
    switch (op.do) {
      case 'insertSession':
        if (sessions.includes(op.key)) throw new Conflict();
        sessions.push(op.key);
        return 'made';
      case 'insertRun': {
        const session = at(sessions, op.session);
        const isTaken = (one: Run | undefined) =>
          one && (one.id === op.id || (one.session === session && one.ordinal === op.ordinal));
        if (session < 0 || runs.some(isTaken)) throw new Conflict();
        const { id, ordinal } = op;
        const rows = { events: [], effects: {}, timers: {}, questions: {} };
        const rest = { seq: 0, ended: 0, driver: 'none', last: null, fence: 1, faults: 0 } as const;
        runs.push({ id, session, ordinal, ...rest, ...rows });
        return 'made';
      }
      case 'loadRun':
        return this.#shown(runs.find((one) => one?.id === op.id));
      case 'advanceRun':
      case 'endRun':
        if (!run || run.seq !== op.was || run.fence !== op.fence || run.driver !== who(op.driver)) return 0;
        run.seq = op.was + 1;
        if (op.do === 'endRun') run.ended = 1;
        return 1;
      case 'claimRun': {
        const me = at(drivers, op.driver);
        if (!run || run.ended === 1 || run.fence !== op.seen || !drivers[me]) return 0;
        if (run.driver !== null && run.driver !== 'none' && run.driver !== me) return 0;
        run.driver = me;
        run.last = me;
        run.fence++;
        return 1;
      }
      case 'passRun':
        if (run) run.driver = who(op.driver);
        return changed(run !== undefined);
      case 'countFault':
        if (run) run.faults++;
        return changed(run !== undefined);
      case 'deleteRunsOf': {
        const gone = runs.filter((one) => one?.session === at(sessions, op.session) && one !== undefined);
        for (const one of gone) runs[runs.indexOf(one)] = undefined;
        return gone.length;
      }
      case 'lastOrdinal': {
        const all = runs.filter((one) => one?.session === at(sessions, op.session));
        return all.length === 0 ? null : Math.max(...all.map((one) => one?.ordinal ?? 0));
      }
      case 'laneHead':
        return this.#shown(inLane(op.session)[0]);
      case 'listActiveRunsOf':
        return inLane(op.session).map((one) => one.id);
      case 'insertDriver':
        drivers.push(true);
        return 'made';
      case 'endDriver': {
        const driver = at(drivers, op.driver);
        const was = drivers[driver] === true;
        if (was) drivers[driver] = false;
        return changed(was);
      }
      case 'abandonRunsOf': {
        const driver = at(drivers, op.driver);
        const of = runs.filter((one) => one?.driver === driver && one.ended === 0);
        for (const one of of) if (one) one.driver = null;
        return of.length;
      }
      case 'insertEvent':
        if (needed().events.includes(op.seq)) throw new Conflict();
        needed().events.push(op.seq);
        return 1;
      case 'insertEffect':
        if (needed().effects[op.n]) throw new Conflict();
        needed().effects[op.n] = { status: op.status, attempt: 1, fence: op.fence, input: 'x' };
        return 1;
      case 'startEffect':
      case 'settleEffect':
      case 'closeEffect':
      case 'uncountAttempt':
        return changed(this.#moveEffect(op, run?.effects[op.n]));
      case 'findEffect':
        return structuredClone(run?.effects[op.n] ?? null);
      case 'setTimer':
        needed().timers[op.id] = op.dueAt;
        return 1;
      case 'clearTimer':
      case 'fireTimer': {
        const due = run?.timers[op.id];
        const isSo = due !== undefined && (op.do === 'clearTimer' || due === op.dueAt);
        if (isSo) delete run?.timers[op.id];
        return changed(isSo);
      }
      case 'listTimers':
        return Object.entries(run?.timers ?? {})
          .map(([id, dueAt]) => [Number(id), dueAt] as const)
          .toSorted(([a, x], [b, y]) => x - y || a - b);
      case 'insertConfirmation': {
        const asked = needed().questions[op.call] ?? [];
        const fresh = { status: 'open', holder: null, until: null };
        const last = asked.at(-1);
        if (last?.status === 'open') Object.assign(last, fresh);
        else asked.push({ n: (last?.n ?? 0) + 1, ...fresh });
        needed().questions[op.call] = asked;
        return 1;
      }
      case 'decideConfirmation':
      case 'holdCall':
      case 'releaseCall': {
        const one = run?.questions[op.call]?.find(({ status }) => status === 'open');
        if (!one) return 0;
        if (op.do === 'decideConfirmation') one.status = op.status;
        else if (op.do === 'holdCall') {
          if (one.holder !== null && one.holder !== op.holder && (one.until ?? 0) > op.now) return 0;
          Object.assign(one, { holder: op.holder, until: op.until });
        } else if (one.holder !== op.holder) return 0;
        else Object.assign(one, { holder: null, until: null });
        return 1;
      }
      case 'listConfirmations':
        return Object.entries(run?.questions ?? {})
          .toSorted(([a], [b]) => Number(a) - Number(b))
          .flatMap(([call, all]) =>
            all.map(({ n, status, holder, until }) => [Number(call), n, status, holder, until]),
          );
      case 'insertRequestKey':
        if (keys[op.name]) throw new Conflict();
        keys[op.name] = { driver: op.driver, effect: null, answer: null };
        return 1;
      case 'findRequestKey':
        return structuredClone(keys[op.name] ?? null);
      default:
        return changed(this.#moveKey(op));
    }
  }

  #moveKey(
    op: Extract<Op, { do: 'passRequestKey' | 'noteRequestKey' | 'answerRequestKey' | 'deleteRequestKey' }>,
  ): boolean {
    const { keys } = this.#state;
    const key = keys[op.name];
    if (!key || key.answer !== null) return false;
    if (op.do === 'noteRequestKey') {
      if (key.effect !== null) return false;
      key.effect = 'noted';
    } else if (op.do === 'passRequestKey') {
      if (key.driver !== op.was) return false;
      key.driver = op.driver;
    } else if (key.driver !== op.driver) return false;
    else if (op.do === 'answerRequestKey') key.answer = 'said';
    else if (key.effect !== null) return false;
    else delete keys[op.name];
    return true;
  }

  #moveEffect(
    op: Extract<Op, { do: 'startEffect' | 'settleEffect' | 'closeEffect' | 'uncountAttempt' }>,
    effect: Run['effects'][number] | undefined,
  ): boolean {
    if (!effect) return false;
    const { status, fence } = effect;
    switch (op.do) {
      case 'startEffect':
        if (!['held', 'pending', 'uncertain'].includes(status) && !(status === 'started' && fence < op.fence))
          return false;
        Object.assign(effect, { status: op.status, fence: op.fence, attempt: effect.attempt + op.attempts });
        return true;
      case 'settleEffect':
        if (status !== 'started' && !(status === 'linked' && op.status !== 'linked')) return false;
        effect.status = op.status;
        if (op.status === 'done') effect.input = null;
        return true;
      case 'closeEffect':
        if (!open.includes(status)) return false;
        Object.assign(effect, { status: 'cancelled', input: null });
        return true;
      case 'uncountAttempt':
        if (status !== 'started' || fence !== op.fence || effect.attempt === 0) return false;
        effect.attempt--;
        return true;
    }
  }

  #shown(run: Run | undefined): unknown {
    if (!run) return null;
    const { id, session, ordinal, seq, ended, driver, last, fence, faults } = run;
    return { id, session, ordinal, seq, ended, driver, last, fence, faults };
  }
}
