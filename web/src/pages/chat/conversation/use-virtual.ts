import type { RefObject } from 'preact';
import { useMemo, useRef } from 'preact/hooks';
import { useVirtualizer, type VirtualList } from '../../../parts/virtual-list.ts';

interface VirtualOptions<Row> {
  scroller: RefObject<HTMLElement | null>;
  rows: readonly Row[];
  /** Rows change in their place; others come only at both ends, or change how many there are. */
  keyOf(row: Row): string;
  /** How high a row that was never drawn may be. */
  estimate(row: Row): number;
  /** So close to the end counts as there: the list then follows what is added. */
  endPx: number;
}

/** A list of which only what is seen is drawn. It keeps its place when rows come before, and follows its end when it is there. */
export function useVirtual<Row>({
  scroller,
  rows,
  keyOf,
  estimate,
  endPx,
}: VirtualOptions<Row>): VirtualList {
  const shown = useRef(rows);
  shown.current = rows;
  const keyAt = (at: number) => {
    const row = shown.current[at];
    return row === undefined ? String(at) : keyOf(row);
  };
  // A new function has the list measure all of its rows again.
  const getItemKey = useMemo(() => keyAt, [rows.length, keyAt(0), keyAt(rows.length - 1)]);
  return useVirtualizer({
    count: rows.length,
    getScrollElement: () => scroller.current,
    estimateSize: (at) => {
      const row = shown.current[at];
      return row === undefined ? 0 : estimate(row);
    },
    getItemKey,
    overscan: 6,
    paddingEnd: 28,
    anchorTo: 'end',
    followOnAppend: true,
    scrollEndThreshold: endPx,
  });
}
