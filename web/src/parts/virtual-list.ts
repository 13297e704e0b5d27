import {
  elementScroll,
  observeElementOffset,
  observeElementRect,
  Virtualizer,
  type VirtualizerOptions,
} from '@tanstack/virtual-core';
import { useLayoutEffect, useReducer, useRef } from 'preact/hooks';

export type VirtualList = Virtualizer<HTMLElement, HTMLElement>;

type Options = Omit<
  VirtualizerOptions<HTMLElement, HTMLElement>,
  'observeElementRect' | 'observeElementOffset' | 'scrollToFn' | 'onChange'
>;

/** A list of which only what is seen is drawn, in an element that scrolls. */
export function useVirtualizer(given: Options): VirtualList {
  const [, redraw] = useReducer((n: number) => n + 1, 0);
  const made = useRef<VirtualList | null>(null);
  const options = {
    ...given,
    observeElementRect,
    observeElementOffset,
    scrollToFn: elementScroll,
    onChange: () => redraw(undefined),
  };
  made.current ??= new Virtualizer<HTMLElement, HTMLElement>(options);
  const list = made.current;
  list.setOptions(options);
  useLayoutEffect(() => list._didMount(), [list]);
  useLayoutEffect(() => list._willUpdate());
  return list;
}
