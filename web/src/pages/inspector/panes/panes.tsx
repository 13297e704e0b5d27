import './panes.css';
import type { ComponentChildren } from 'preact';
import { useShortcuts } from '../../../base/keys.ts';
import { t } from '../words.ts';
import { isChartAlone, panes } from './panes.ts';
import { Splitter } from './splitter.tsx';

interface PanesProps {
  header: ComponentChildren;
  table: ComponentChildren;
  chart: ComponentChildren;
  readout: ComponentChildren;
  timeline: ComponentChildren;
}

/** A header, the chart, and around it three panes that fold and can be dragged. */
export function Panes({ header, table, chart, readout, timeline }: PanesProps) {
  const isAlone = isChartAlone.value;
  const shown = new Set(panes.filter(({ isFolded }) => !isAlone && !isFolded.value).map(({ name }) => name));
  useShortcuts([{ keys: 'Z', words: t.chartAlone, act: toggleAlone }]);
  const style = Object.fromEntries(panes.map(({ name, size }) => [`--${name}`, `${size.value}px`]));
  return (
    <main class={['inspector-page', ...[...shown].map((name) => `has-${name}`)].join(' ')} style={style}>
      {header}
      {table}
      <section class="chartpane" aria-label={t.chart}>
        {chart}
        <PaneButtons />
      </section>
      {readout}
      {timeline}
      {panes.map((pane) => shown.has(pane.name) && <Splitter key={pane.name} pane={pane} />)}
    </main>
  );
}

function toggleAlone(): void {
  isChartAlone.value = !isChartAlone.value;
}

const pictures = {
  table: 'M2 3h12v10H2zM6 3v10',
  readout: 'M2 3h12v10H2zM10 3v10',
  timeline: 'M2 3h12v10H2zM2 9.5h12',
};

/** Folds the panes and shows them again. */
function PaneButtons() {
  const isAlone = isChartAlone.value;
  return (
    <div class="pane-buttons">
      {panes.map((pane) => (
        <button
          key={pane.name}
          type="button"
          class="btn small icon"
          aria-label={t[pane.name]}
          title={t[pane.name]}
          aria-pressed={!isAlone && !pane.isFolded.value}
          onClick={() => {
            pane.fold(isAlone ? false : !pane.isFolded.peek());
            isChartAlone.value = false;
          }}
        >
          <svg
            width="16"
            height="16"
            viewBox="0 0 16 16"
            fill="none"
            stroke="currentColor"
            aria-hidden="true"
          >
            <path d={pictures[pane.name]} />
          </svg>
        </button>
      ))}
      <button
        type="button"
        class="btn small"
        aria-pressed={isAlone}
        title={`${t.chartAlone} (Z)`}
        onClick={toggleAlone}
      >
        {t.alone}
      </button>
    </div>
  );
}
