import type { Action } from './decide.ts';
import type { MachineHost } from './machine-host.ts';

interface EffectIntent {
  n: number;
  name: string;
  params: Action['params'];
}

/** The net result of a transition's actions. */
interface Folded {
  /** Effects to perform. */
  effects: EffectIntent[];
  /** Effects that this transition holds and does not start. */
  held: number[];
  /** Effects whose rows this transition inserts by `effect.hold`, started or not. */
  created: readonly number[];
  aborted: number[];
  /** The last setting of each timer; null clears it. */
  timers: Map<string, { event: string; delayMs: number } | null>;
  /** Domain actions, in order. */
  rows: Action[];
}

/**
 * Folds actions in list order. A state that is entered and left in one macrostep sets a timer and then clears it:
 * performing all deletes before all inserts would leave an orphaned timer.
 */
export function foldActions(host: MachineHost, actions: readonly Action[]): Folded {
  const effects: EffectIntent[] = [];
  const created: number[] = [];
  const aborted: number[] = [];
  const timers: Folded['timers'] = new Map();
  const rows: Action[] = [];
  for (const action of actions) {
    const { type, params } = action;
    if (type === 'timer.set') {
      const { id, event, delayMs } = params as { id: string; event: string; delayMs: number };
      timers.set(id, { event, delayMs });
    } else if (type === 'timer.clear') timers.set(String(params.id), null);
    else if (type === 'effect.hold') {
      for (const n of params.ids as number[]) if (!created.includes(n)) created.push(n);
    } else if (type === 'effect.abort') aborted.push(...(params.ids as number[]));
    else if (type in host.effects) effects.push({ n: params.effectId as number, name: type, params });
    else rows.push(action);
  }
  const live = effects.filter((effect) => !aborted.includes(effect.n));
  const held = created.filter((n) => !live.some((effect) => effect.n === n) && !aborted.includes(n));
  return { effects: live, held, created, aborted, timers, rows };
}
