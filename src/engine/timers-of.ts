import type { AnyMachineSnapshot } from 'xstate';

interface Timers {
  /** Those that entering the state sets: each with its event. */
  set: ReadonlyMap<string, string>;
  /** Those that leaving the state clears: they may be set. */
  cleared: ReadonlySet<string>;
}

/** The timers that a state has by its chart: `timer.set` among the entry actions of its nodes, `timer.clear` on exit. */
export function timersOf({ _nodes: nodes, context }: AnyMachineSnapshot): Timers {
  const params = (actions: readonly unknown[], type: string) =>
    actions.flatMap((action) => {
      const { params, ...named } = action as { type?: string; params?: unknown };
      if (named.type !== type) return [];
      // Only `delayMs` may come from the event that set it, which is long gone.
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
