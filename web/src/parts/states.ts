/** The palette of states: each key has one shape and one hue (`tokens.css`). */
export const stateKeys = [
  'idle',
  'hold',
  'think',
  'back',
  'tool',
  'comp',
  'decide',
  'ask',
  'rec',
  'done',
  'fail',
  'cancel',
] as const;

export type StateKey = (typeof stateKeys)[number];

/** By the name of a state in a path. Inner states come before those around them. */
const byName: Readonly<Record<string, StateKey>> = {
  // Runs
  idle: 'idle',
  unstarted: 'hold',
  interrupted: 'hold',
  backingOff: 'back',
  thinking: 'think',
  tooling: 'tool',
  executing: 'tool',
  compacting: 'comp',
  deciding: 'decide',
  awaitingConfirm: 'ask',
  reconciling: 'rec',
  done: 'done',
  failed: 'fail',
  cancelled: 'cancel',
  // Takeovers
  waiting: 'hold',
  taken: 'hold',
  // Jobs
  scheduled: 'idle',
  due: 'decide',
  starting: 'think',
  running: 'tool',
  delivering: 'comp',
  paused: 'ask',
  disabled: 'cancel',
  removed: 'cancel',
  folded: 'done',
};

/** What a state looks like, by its dotted path (of several parallel ones, the first). A state of an unknown chart is a diamond. */
export function keyOfPath(path: string): StateKey {
  const names = (path.split(/[ ,|]/, 1)[0] ?? '').split('.');
  for (const name of names.reverse()) {
    const key = byName[name];
    if (key) return key;
  }
  return 'decide';
}

const machines: ReadonlySet<string> = new Set(['run', 'call', 'job']);

/** Whether a machine is one of Detent's: the states of a person's own chart are called as they like, and mean nothing here. */
export function isDetents(machine: string): boolean {
  return machines.has(machine);
}

/** What a state of a machine looks like, by its dotted path. */
export function keyIn(machine: string, path: string): StateKey {
  return isDetents(machine) ? keyOfPath(path) : 'decide';
}

/** What a run looks like in lists, by its status. */
export function keyOfStatus(status: string): StateKey {
  const byStatus: Readonly<Record<string, StateKey>> = {
    queued: 'idle',
    unstarted: 'hold',
    running: 'think',
    waiting: 'ask',
    decided: 'hold',
    interrupted: 'hold',
    done: 'done',
    failed: 'fail',
    cancelled: 'cancel',
  };
  return byStatus[status] ?? 'decide';
}

/** What a workflow looks like in lists: its chart's states are called as their author likes, so its status says it. */
export function keyOfFlow({
  status,
  asks,
}: {
  status: string;
  asks?: readonly string[] | undefined;
}): StateKey {
  return status === 'waiting' && asks === undefined ? 'decide' : keyOfStatus(status);
}

/** The last name of a path: `requesting` of `active.working.thinking.requesting`. */
export function leafOf(path: string): string {
  return path.split('.').at(-1) ?? path;
}

/** A path as people read it: without the states that only group others. */
export function shownPath(path: string): string {
  return path.replace(/^active\.(working\.)?/, '');
}
