import type { RunTrace, TracedTransition } from '#src/protocol/views.ts';
import { pathsAt, wayAt } from '../../data/run-trace.ts';
import { keyIn, type StateKey } from '../../parts/states.ts';

/** What a run had done and used up to a moment. */
export interface FiguresAt {
  /** Time in states in which the run itself had something to do. */
  workingMs: number;
  /** Time in which a person had to decide. */
  waitedMs: number;
  inputTokens: number;
  outputTokens: number;
  costUsd: number;
}

/** The same for all moments of a run, added up once, so that each is found without going through the log. */
export interface Figures {
  /** What the state after each transition looks like; of `seq` at `seq - 1`. */
  keys: readonly StateKey[];
  at(seq: number): FiguresAt;
  /** Whether nothing works on the run until somebody resumes it. */
  isLeft: boolean;
  /** What the run has done since its newest transition; undefined at rest. */
  lasting: { kind: Spent; since: number } | undefined;
  /** When it ended, in milliseconds since the epoch; null while it has not. */
  endedAt: number | null;
  /** At a time, with what the run has done since its last transition before. */
  atTime(time: number): FiguresAt;
  /** How often each edge had been taken. */
  taken(seq: number): ReadonlyMap<string, number>;
  /** The last transition up to `seq` that took an edge; 0 if none did. */
  lastTaken(edge: string, seq: number): number;
  /** How long the run had been in each innermost state, in milliseconds. */
  durations(seq: number): ReadonlyMap<string, number>;
}

/** Of states in which a run neither works nor waits for a decision. */
const resting: ReadonlySet<StateKey> = new Set(['idle', 'done', 'fail', 'cancel']);
const asking: ReadonlySet<StateKey> = new Set(['ask', 'rec']);

const nothing: FiguresAt = { workingMs: 0, waitedMs: 0, inputTokens: 0, outputTokens: 0, costUsd: 0 };

type Spent = 'working' | 'waiting';

/** As what the time in a state counts. */
function spentIn(key: StateKey | undefined): Spent | null {
  if (key === undefined || resting.has(key)) return null;
  return asking.has(key) ? 'waiting' : 'working';
}

/** When the work before a transition stopped: of a run that was taken over, before nothing worked on it. */
function workedUntil(event: TracedTransition['event'], at: number): number {
  return event.type === 'run.resumed' && typeof event.lastAt === 'number' ? Math.min(at, event.lastAt) : at;
}

export function figuresOf(trace: RunTrace): Figures {
  const { transitions } = trace;
  const keys = transitions.map(({ seq }) => keyIn(trace.machine.name, pathsAt(trace, seq).join(' ')));
  const sums: FiguresAt[] = [];
  const edges = new Map<string, number[]>();
  const stays = new Map<string, { seqs: number[]; sums: number[] }>();
  let sum = nothing;
  transitions.forEach(({ seq, at, event, usage }, i) => {
    const before = transitions[i - 1];
    const spent = spentIn(keys[i - 1]);
    const until = spent === 'working' ? workedUntil(event, at) : at;
    const ms = before === undefined ? 0 : Math.max(0, until - before.at);
    sum = {
      workingMs: sum.workingMs + (spent === 'working' ? ms : 0),
      waitedMs: sum.waitedMs + (spent === 'waiting' ? ms : 0),
      inputTokens: sum.inputTokens + (usage?.inputTokens ?? 0),
      outputTokens: sum.outputTokens + (usage?.outputTokens ?? 0),
      costUsd: sum.costUsd + (usage?.costUsd ?? 0),
    };
    sums.push(sum);
    for (const edge of wayAt(trace, seq)?.edges ?? []) listed(edges, edge, () => []).push(seq);
    for (const path of before === undefined ? [] : pathsAt(trace, before.seq)) {
      const stay = listed(stays, path, () => ({ seqs: [], sums: [] }));
      stay.seqs.push(seq);
      stay.sums.push((stay.sums.at(-1) ?? 0) + ms);
    }
  });
  const newest = transitions.at(-1);
  const kind = spentIn(keys.at(-1));
  const at = (seq: number) => sums[seq - 1] ?? nothing;
  const times = transitions.map(({ at: time }) => time);
  return {
    keys,
    isLeft: false,
    lasting: kind === null || newest === undefined ? undefined : { kind, since: newest.at },
    at,
    endedAt: trace.ended ? (newest?.at ?? null) : null,
    atTime(time) {
      const seq = upTo(times, time);
      const sum = at(seq);
      const spent = spentIn(keys[seq - 1]);
      const ms = Math.max(0, time - (times[seq - 1] ?? time));
      if (spent === null) return sum;
      return spent === 'waiting'
        ? { ...sum, waitedMs: sum.waitedMs + ms }
        : { ...sum, workingMs: sum.workingMs + ms };
    },
    taken: (seq) => new Map([...edges].map(([edge, seqs]) => [edge, upTo(seqs, seq)])),
    lastTaken(edge, seq) {
      const seqs = edges.get(edge) ?? [];
      return seqs[upTo(seqs, seq) - 1] ?? 0;
    },
    durations: (seq) =>
      new Map([...stays].map(([path, { seqs, sums }]) => [path, sums[upTo(seqs, seq) - 1] ?? 0])),
  };
}

/** The same of a run whose newest state asks a person. */
export function askingNow(figures: Figures): Figures {
  return { ...figures, keys: figures.keys.with(-1, 'ask') };
}

function listed<T>(map: Map<string, T>, key: string, make: () => T): T {
  const found = map.get(key);
  if (found !== undefined) return found;
  const made = make();
  map.set(key, made);
  return made;
}

/** How many of ascending numbers are at most `limit`. */
function upTo(ascending: readonly number[], limit: number): number {
  let low = 0;
  let high = ascending.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((ascending[middle] ?? 0) <= limit) low = middle + 1;
    else high = middle;
  }
  return low;
}
