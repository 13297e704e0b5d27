import type { ComponentChildren } from 'preact';
import { shapePaths } from './shape-paths.ts';
import type { StateKey } from './states.ts';

/** The paths of a state's shape, to be placed in another drawing. */
export function ShapePaths({ state }: { state: StateKey }) {
  return (
    <>
      {shapePaths[state].map(({ d, stroke }) =>
        stroke === undefined ? (
          <path key={d} d={d} fill="currentColor" />
        ) : (
          <path
            key={d}
            d={d}
            fill="none"
            stroke="currentColor"
            stroke-width={stroke}
            stroke-linecap="round"
            stroke-linejoin="round"
          />
        ),
      )}
    </>
  );
}

/** The shape of a state. Words beside it say the same. */
export function Shape({ state, size = 12 }: { state: StateKey; size?: number }) {
  return (
    <svg width={size} height={size} viewBox="0 0 12 12" aria-hidden="true">
      <ShapePaths state={state} />
    </svg>
  );
}

/** A state as shape and word, on a wash of its colour unless `plain`. */
export function Chip({
  state,
  plain = false,
  children,
}: {
  state: StateKey;
  plain?: boolean;
  children?: ComponentChildren;
}) {
  return (
    <span class={plain ? 'st' : 'st chip'} data-s={state}>
      <Shape state={state} />
      {children}
    </span>
  );
}
