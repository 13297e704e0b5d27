import type { RefObject } from 'preact';
import { useEffect, useMemo } from 'preact/hooks';
import { fitting, readable, revealed, type Size, zoomed } from './zoom.ts';

interface Zoom {
  by(factor: number): void;
  /** Shows all of the chart, however small. */
  fit(): void;
  /** Scrolls a part of the chart into the pane, if it is not. */
  reveal(box: Size & { x: number; y: number }): void;
}

/**
 * Zoom and drag of a chart within a pane that scrolls. The chart is an `svg` in it; its size is its scale. What the wheel and fingers scroll is
 * left to the browser.
 */
export function useZoom(pane: RefObject<HTMLDivElement | null>, chart: Size): Zoom {
  const held = useMemo(
    () => ({
      scale: 1,
      /** How the scale follows the size of the pane; null once a person has chosen one. */
      scaleOf: readable as typeof readable | null,
      shown: null as Parameters<Zoom['reveal']>[0] | null,
      // Measured when they change: to ask the browser at each step would make it lay the page out.
      size: { width: 0, height: 0 },
      place: { left: 0, top: 0 },
    }),
    [],
  );

  const zoom = useMemo(() => {
    function apply(scale: number, place?: { left: number; top: number }): void {
      const svg = pane.current?.querySelector('svg');
      if (!svg || !pane.current) return;
      held.scale = scale;
      svg.setAttribute('width', String(Math.round(chart.width * scale)));
      svg.setAttribute('height', String(Math.round(chart.height * scale)));
      if (place) scroll(place);
    }
    function scroll(place: { left: number; top: number }): void {
      pane.current?.scrollTo(place);
      self.scrolled();
    }
    const view = () => ({ scale: held.scale, ...held.place });
    const self = {
      at(factor: number, point: { x: number; y: number }): void {
        held.scaleOf = null;
        const next = zoomed(view(), held.scale * factor, point);
        apply(next.scale, next);
      },
      by(factor: number): void {
        const { width, height } = held.size;
        self.at(factor, { x: width / 2, y: height / 2 });
      },
      fit(): void {
        held.scaleOf = fitting;
        self.resized();
      },
      reveal(box: Parameters<Zoom['reveal']>[0]): void {
        held.shown = box;
        if (held.size.width === 0) return;
        const { left, top } = revealed(view(), box, held.size);
        if (left !== held.place.left || top !== held.place.top) scroll({ left, top });
      },
      scrolled(): void {
        const { scrollLeft: left = 0, scrollTop: top = 0 } = pane.current ?? {};
        held.place = { left, top };
      },
      resized(): void {
        const { clientWidth: width = 0, clientHeight: height = 0 } = pane.current ?? {};
        const { offsetWidth = 0, offsetHeight = 0 } = pane.current ?? {};
        held.size = { width, height };
        // A scale that followed the room beside scroll bars could make them come and go for ever.
        const whole = { width: offsetWidth - around, height: offsetHeight - around };
        if (held.scaleOf && width > 0) apply(held.scaleOf(chart, whole));
        if (held.shown) self.reveal(held.shown);
      },
    };
    return self;
  }, [chart]);

  useEffect(() => {
    const element = pane.current;
    if (!element) return;
    const observer = new ResizeObserver(() => zoom.resized());
    observer.observe(element);
    const scrolled = () => zoom.scrolled();
    element.addEventListener('scroll', scrolled, { passive: true });
    const stopDrag = dragging(element);
    const wheel = (event: WheelEvent) => {
      if (!event.ctrlKey && !event.metaKey) return;
      event.preventDefault();
      const { left, top } = element.getBoundingClientRect();
      zoom.at(Math.exp(-event.deltaY / 300), { x: event.clientX - left, y: event.clientY - top });
    };
    element.addEventListener('wheel', wheel, { passive: false });
    return () => {
      observer.disconnect();
      stopDrag();
      element.removeEventListener('scroll', scrolled);
      element.removeEventListener('wheel', wheel);
    };
  }, [zoom]);
  return zoom;
}

/** The margin of a pane, on both sides together. */
const around = 24;

/** So far a mouse moves before it drags: a click does not. */
const slack = 4;

/** Lets a mouse drag what scrolls. Fingers do so anyway. */
function dragging(element: HTMLElement): () => void {
  let from: { x: number; y: number; left: number; top: number } | null = null;
  const events = {
    pointerdown(event: PointerEvent) {
      if (event.pointerType !== 'mouse' || event.button !== 0) return;
      from = { x: event.clientX, y: event.clientY, left: element.scrollLeft, top: element.scrollTop };
    },
    pointermove(event: PointerEvent) {
      if (!from) return;
      const [x, y] = [event.clientX - from.x, event.clientY - from.y];
      if (!element.hasPointerCapture(event.pointerId) && Math.hypot(x, y) < slack) return;
      element.setPointerCapture(event.pointerId);
      element.classList.add('dragged');
      element.scrollTo(from.left - x, from.top - y);
    },
    pointerup() {
      from = null;
      element.classList.remove('dragged');
    },
  };
  const all = { ...events, pointercancel: events.pointerup };
  for (const [name, listener] of Object.entries(all))
    element.addEventListener(name, listener as EventListener);
  return () => {
    for (const [name, listener] of Object.entries(all))
      element.removeEventListener(name, listener as EventListener);
  };
}
