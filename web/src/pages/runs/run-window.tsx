import { elementScroll, observeElementOffset, observeElementRect, Virtualizer } from '@tanstack/virtual-core';
import { useLayoutEffect, useReducer, useRef } from 'preact/hooks';
import type { RunRow } from '../../data/runs.ts';
import { RunLine } from './run-line.tsx';

/** Fewer are all drawn. */
const many = 60;
const usualHeight = 57;

/** Ended runs: of a long list only those that are in view are drawn. */
export function RunWindow({ runs, now }: { runs: readonly RunRow[]; now: number }) {
  if (runs.length < many) return runs.map((run) => <RunLine key={run.runId} run={run} now={now} />);
  return <Drawn runs={runs} now={now} />;
}

type Rows = Virtualizer<HTMLElement, HTMLElement>;

function Drawn({ runs, now }: { runs: readonly RunRow[]; now: number }) {
  const box = useRef<HTMLDivElement>(null);
  const made = useRef<Rows | null>(null);
  const [, redraw] = useReducer((n: number) => n + 1, 0);
  const scroller = () => box.current?.closest<HTMLElement>('.page') ?? null;
  const options = {
    count: runs.length,
    getScrollElement: scroller,
    estimateSize: () => usualHeight,
    getItemKey: (at: number) => runs[at]?.runId ?? at,
    observeElementRect,
    observeElementOffset,
    scrollToFn: elementScroll,
    overscan: 8,
    // What stands above the list grows and shrinks.
    scrollMargin: topOf(box.current, scroller()),
    onChange: () => redraw(undefined),
  };
  made.current ??= new Virtualizer<HTMLElement, HTMLElement>(options);
  const rows = made.current;
  rows.setOptions(options);
  useLayoutEffect(() => rows._didMount(), [rows]);
  useLayoutEffect(() => rows._willUpdate());
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
            style={{ transform: `translateY(${start - options.scrollMargin}px)` }}
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
