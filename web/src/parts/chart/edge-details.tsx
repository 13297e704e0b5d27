import type { ReadonlySignal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import { shownPath } from '../states.ts';
import { type DrawnEdge, wordsOf } from './drawing.ts';
import type { ChartMarks } from './marks.ts';
import { t } from './words.ts';

interface EdgeDetailsProps {
  edges: readonly DrawnEdge[];
  marks: ReadonlySignal<ChartMarks>;
  close: () => void;
  onEdge?: ((id: string) => void) | undefined;
}

/** The transitions that an edge stands for, with their guards, in the order in which the machine tries them. */
export function EdgeDetails({ edges, marks, close, onEdge }: EdgeDetailsProps) {
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => {
    heading.current?.focus();
  }, [edges]);
  const { taken } = marks.value;
  return (
    <section
      class="chart-edge"
      aria-label={t.edges}
      onKeyDown={(event) => {
        if (event.key !== 'Escape') return;
        event.preventDefault();
        close();
      }}
    >
      <div class="chart-edge-head">
        <h2 ref={heading} tabIndex={-1}>
          {t.edges}
        </h2>
        <button type="button" class="btn small ghost" onClick={close}>
          {t.close}
        </button>
      </div>
      {edges.map(({ id, from, to, transitions }) => (
        <div key={id} class="chart-edge-one">
          <h3>
            {from === '' ? t.anyState : <code>{shownPath(from)}</code>} → <code>{shownPath(to)}</code>
          </h3>
          <ol>
            {transitions.map((one) => (
              <li key={one.id}>
                <code>{wordsOf(one)}</code>
                {one.description !== undefined && <span class="dim"> {one.description}</span>}
              </li>
            ))}
          </ol>
          <p class="dim">
            {t.taken(taken.get(id) ?? 0)}
            {onEdge && (taken.get(id) ?? 0) > 0 && (
              <button type="button" class="btn small" onClick={() => onEdge(id)}>
                {t.lastTime}
              </button>
            )}
          </p>
        </div>
      ))}
    </section>
  );
}
