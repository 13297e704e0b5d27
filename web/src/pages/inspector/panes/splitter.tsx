import { useRef } from 'preact/hooks';
import { t } from '../words.ts';
import type { Pane, PaneName } from './panes.ts';

/** Which way a pane grows. */
const growth: Readonly<Record<PaneName, { x: number; y: number }>> = {
  table: { x: 1, y: 0 },
  readout: { x: -1, y: 0 },
  timeline: { x: 0, y: -1 },
};

const steps: Readonly<Record<string, { x: number; y: number }>> = {
  ArrowLeft: { x: -16, y: 0 },
  ArrowRight: { x: 16, y: 0 },
  ArrowUp: { x: 0, y: -16 },
  ArrowDown: { x: 0, y: 16 },
};

/** The border of a pane, which is dragged, moved by the arrow keys, and folds the pane by Enter or a double click. */
export function Splitter({ pane }: { pane: Pane }) {
  const { name, limits, size } = pane;
  const from = useRef<{ at: number; size: number } | null>(null);
  const along = ({ x, y }: { x: number; y: number }) => x * growth[name].x + y * growth[name].y;
  return (
    // biome-ignore lint/a11y/useSemanticElements: a rule cannot be moved.
    <div
      role="separator"
      class={`splitter of-${name}`}
      aria-label={t.resize(t[name])}
      aria-orientation={name === 'timeline' ? 'horizontal' : 'vertical'}
      aria-valuemin={limits.min}
      aria-valuemax={limits.max}
      aria-valuenow={size.value}
      tabIndex={0}
      onDblClick={() => pane.fold(true)}
      onPointerDown={(event) => {
        event.currentTarget.setPointerCapture(event.pointerId);
        from.current = { at: along(event), size: shownSize(event.currentTarget, pane) };
      }}
      onPointerMove={(event) => {
        if (from.current) pane.resize(from.current.size + along(event) - from.current.at);
      }}
      onLostPointerCapture={() => {
        from.current = null;
      }}
      onKeyDown={(event) => {
        const step = steps[event.key];
        if (event.key === 'Enter') pane.fold(true);
        else if (step && along(step) !== 0) pane.resize(shownSize(event.currentTarget, pane) + along(step));
        else return;
        // The arrows move the slider elsewhere.
        event.preventDefault();
      }}
    />
  );
}

/** The timeline is no taller than its lanes. */
function shownSize(splitter: HTMLElement, { name, size }: Pane): number {
  return name === 'timeline'
    ? (splitter.parentElement?.querySelector('.time')?.clientHeight ?? size.peek())
    : size.peek();
}
