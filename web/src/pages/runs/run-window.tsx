import { useRef } from 'preact/hooks';
import type { RunRow } from '../../data/runs.ts';
import { useVirtualizer } from '../../parts/virtual-list.ts';
import { RunLine } from './run-line.tsx';

/** Fewer are all drawn. */
const many = 60;
const usualHeight = 57;

/** Ended runs: of a long list only those that are in view are drawn. */
export function RunWindow({ runs, now }: { runs: readonly RunRow[]; now: number }) {
  if (runs.length < many) return runs.map((run) => <RunLine key={run.runId} run={run} now={now} />);
  return <Drawn runs={runs} now={now} />;
}

function Drawn({ runs, now }: { runs: readonly RunRow[]; now: number }) {
  const box = useRef<HTMLDivElement>(null);
  const scroller = () => box.current?.closest<HTMLElement>('.page') ?? null;
  // What stands above the list grows and shrinks.
  const scrollMargin = topOf(box.current, scroller());
  const rows = useVirtualizer({
    count: runs.length,
    getScrollElement: scroller,
    estimateSize: () => usualHeight,
    getItemKey: (at) => runs[at]?.runId ?? at,
    overscan: 8,
    scrollMargin,
  });
  return (
    <div ref={box} class="run-window" style={{ height: `${rows.getTotalSize()}px` }}>
      {rows.getVirtualItems().map(({ key, index, start }) => {
        const run = runs[index];
        if (run === undefined) return null;
        return (
          <div
            key={key}
            ref={(element) => rows.measureElement(element)}
            data-index={index}
            style={{ transform: `translateY(${start - scrollMargin}px)` }}
          >
            <RunLine run={run} now={now} />
          </div>
        );
      })}
    </div>
  );
}

/** Where an element begins within what scrolls. */
function topOf(element: HTMLElement | null, scroller: HTMLElement | null): number {
  if (element === null || scroller === null) return 0;
  return element.getBoundingClientRect().top - scroller.getBoundingClientRect().top + scroller.scrollTop;
}
