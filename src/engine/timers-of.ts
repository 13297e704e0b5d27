import type { AnyMachineSnapshot } from 'xstate';

export interface TimersOf {
  /** Timers that entering the state sets, each with its event. */
  set: ReadonlyMap<string, string>;
  /** Timers that leaving the state clears; they may be set. */
  cleared: ReadonlySet<string>;
}

/** The timers that the chart gives a state: `timer.set` among the entry actions of its nodes, `timer.clear` on exit. */
export function timersOf({ _nodes: nodes, context }: AnyMachineSnapshot): TimersOf {
  const params = (actions: readonly unknown[], type: string) =>
    actions.flatMap((action) => {
      const { params, ...named } = action as { type?: string; params?: unknown };
      if (named.type !== type) return [];
      // The event that set the timer is not known any more; only `delayMs` may depend on it, and it is not used here.
      const resolved = typeof params === 'function' ? params({ context, event: { type: '' } }) : params;
      return [resolved as { id: string; event: string }];
    });
  return {
    set: new Map(
      nodes.flatMap(({ entry }) => params(entry, 'timer.set')).map(({ id, event }) => [id, event]),
    ),
    cleared: new Set(nodes.flatMap(({ exit }) => params(exit, 'timer.clear')).map(({ id }) => id)),
  };
}
