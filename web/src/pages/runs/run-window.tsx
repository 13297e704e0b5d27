import { useRef } from 'preact/hooks';
import type { RunRow } from '../../data/runs.ts';
import { useVirtualizer } from '../../parts/virtual-list.ts';
import { type FoldedRun, folded } from './filters.ts';
import { Folded } from './folded-run.tsx';

/** Fewer are all drawn. */
const many = 60;
const usualHeight = 57;

/** Ended runs: of a long list only those that are in view are drawn. */
export function RunWindow({ runs, now }: { runs: readonly RunRow[]; now: number }) {
  const lines = folded(runs);
  if (lines.length < many) return lines.map((one) => <Folded key={one.run.runId} folded={one} now={now} />);
  return <Drawn lines={lines} now={now} />;
}

function Drawn({ lines, now }: { lines: readonly FoldedRun[]; now: number }) {
  const box = useRef<HTMLDivElement>(null);
  const scroller = () => box.current?.closest<HTMLElement>('.page') ?? null;
  // What stands above the list grows and shrinks.
  const scrollMargin = topOf(box.current, scroller());
  const rows = useVirtualizer({
    count: lines.length,
    getScrollElement: scroller,
    estimateSize: () => usualHeight,
    getItemKey: (at) => lines[at]?.run.runId ?? at,
    overscan: 8,
    scrollMargin,
  });
  return (
    <div ref={box} class="run-window" style={{ height: `${rows.getTotalSize()}px` }}>
      {rows.getVirtualItems().map(({ key, index, start }) => {
        const line = lines[index];
        if (line === undefined) return null;
        return (
          <div
            key={key}
            ref={(element) => rows.measureElement(element)}
            data-index={index}
            style={{ transform: `translateY(${start - scrollMargin}px)` }}
          >
            <Folded folded={line} now={now} />
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
