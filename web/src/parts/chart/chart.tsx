import './chart.css';
import type { ReadonlySignal } from '@preact/signals';
import { useSignalEffect } from '@preact/signals';
import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import type { MachineDefinition, MachineLayout } from '#src/protocol/views.ts';
import { shortDuration } from '../../base/format.ts';
import { useShortcuts } from '../../base/keys.ts';
import { ChartDrawing } from './chart-drawing.tsx';
import { type DrawnEdge, drawingOf } from './drawing.ts';
import { EdgeDetails } from './edge-details.tsx';
import type { ChartMarks } from './marks.ts';
import { Painter } from './paint.ts';
import { useZoom } from './use-zoom.ts';
import { t } from './words.ts';

const restMs = 120;

interface ChartProps {
  layout: MachineLayout;
  /** Null when it is not known: then edges have no details. */
  definition: MachineDefinition | null;
  /** The machine is one of Detent's. */
  isOwn: boolean;
  marks: ReadonlySignal<ChartMarks>;
  /** Shows the transition that took an edge last. */
  onEdge?: (id: string) => void;
}

/** The statechart of any machine, as it was laid out, with what holds and what happened. It can be scrolled, dragged and zoomed. */
export function Chart({ layout, definition, isOwn, marks, onEdge }: ChartProps) {
  const drawing = useMemo(() => drawingOf(layout, definition, isOwn), [layout, definition, isOwn]);
  const svg = useRef<SVGSVGElement>(null);
  const pane = useRef<HTMLDivElement>(null);
  const [chosen, choose] = useState<DrawnEdge | 'all' | null>(null);
  const zoom = useZoom(pane, drawing);
  const painter = useRef<Painter | null>(null);

  useEffect(() => {
    if (!svg.current) return;
    const made = new Painter(svg.current, drawing, shortDuration);
    made.show(marks.peek());
    painter.current = made;
    void document.fonts.ready.then(() => made.measure());
  }, [drawing]);
  useSignalEffect(() => {
    painter.current?.show(marks.value);
    const lit = drawing.states.find(({ id }) => id === marks.value.lit[0]);
    // Once the slider rests: who scrubs through a thousand states would see the chart jump.
    const timer = setTimeout(() => lit && zoom.reveal(lit), restMs);
    return () => clearTimeout(timer);
  });
  useShortcuts([
    { keys: '+', words: t.zoomIn, act: () => zoom.by(1.25) },
    { keys: '-', words: t.zoomOut, act: () => zoom.by(0.8) },
    { keys: '0', words: t.fit, act: () => zoom.fit() },
  ]);

  // The same element each time: the page does not look at the drawing again.
  const name = t.chartOf(layout.name);
  const picture = useMemo(
    () => <ChartDrawing drawing={drawing} name={name} svg={svg} onEdge={choose} />,
    [drawing, name],
  );
  return (
    <div class="chart">
      {/* biome-ignore lint/a11y/useSemanticElements: a fieldset groups fields. */}
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by the keyboard. */}
      <div class="chart-pane" ref={pane} role="group" aria-label={t.scrollable} tabIndex={0}>
        {picture}
      </div>
      <div class="chart-tools">
        <button
          type="button"
          class="btn small"
          aria-expanded={chosen === 'all'}
          onClick={() => choose('all')}
        >
          {t.edges}
        </button>
        <button type="button" class="btn small icon" aria-label={t.zoomOut} onClick={() => zoom.by(0.8)}>
          −
        </button>
        <button type="button" class="btn small icon" aria-label={t.zoomIn} onClick={() => zoom.by(1.25)}>
          +
        </button>
        <button type="button" class="btn small" onClick={() => zoom.fit()}>
          {t.fit}
        </button>
      </div>
      {chosen !== null && (
        <EdgeDetails
          edges={chosen === 'all' ? drawing.edges : [chosen]}
          marks={marks}
          close={() => choose(null)}
          onEdge={onEdge}
        />
      )}
    </div>
  );
}
