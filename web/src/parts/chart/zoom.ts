/** How much of a chart is seen, and which part: as a scroll position and a scale. */
interface View {
  scale: number;
  left: number;
  top: number;
}

export interface Size {
  width: number;
  height: number;
}

/** At `readable`, the labels of edges are 9 pixels high and the names of states 12. */
export const scales = { least: 0.05, most: 3, readable: 0.75, largestFit: 1.25 };

/** The scale at which a chart fills its pane. */
export function fitting(chart: Size, pane: Size): number {
  if (chart.width <= 0 || chart.height <= 0) return 1;
  const whole = Math.min(pane.width / chart.width, pane.height / chart.height);
  return Math.min(scales.largestFit, Math.max(scales.least, whole));
}

/** The same, but no smaller than can be read: the rest of the chart is scrolled or dragged to. */
export function readable(chart: Size, pane: Size): number {
  return Math.max(scales.readable, fitting(chart, pane));
}

/** The view after zooming to a scale, in which the point of the pane at `x`, `y` shows what it showed. */
export function zoomed({ scale, left, top }: View, to: number, { x, y }: { x: number; y: number }): View {
  const next = Math.min(scales.most, Math.max(scales.least, to));
  const by = next / scale;
  return { scale: next, left: (left + x) * by - x, top: (top + y) * by - y };
}

/** How far to scroll so that a box lies within the pane: not at all if it does, else to its middle. */
export function revealed(
  { scale, left, top }: View,
  box: Size & { x: number; y: number },
  pane: Size,
): { left: number; top: number } {
  return {
    left: along(left, box.x * scale, box.width * scale, pane.width),
    top: along(top, box.y * scale, box.height * scale, pane.height),
  };
}

function along(scroll: number, start: number, length: number, pane: number): number {
  if (start >= scroll && start + length <= scroll + pane) return scroll;
  return Math.max(0, start + length / 2 - pane / 2);
}
