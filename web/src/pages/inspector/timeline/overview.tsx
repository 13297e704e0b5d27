import { type ReadonlySignal, useSignalEffect } from '@preact/signals';
import { useRef } from 'preact/hooks';
import type { Inspected } from '../../../data/inspected.ts';
import type { Figures } from '../figures.ts';
import { inset, type NotchWindow, notchX } from './notches.ts';
import type { Palette } from './palette.ts';
import { prepared } from './use-look.ts';

const height = 18;

interface OverviewProps {
  run: Inspected;
  figures: ReadonlySignal<Figures | null>;
  palette: ReadonlySignal<Palette | null>;
  width: ReadonlySignal<number>;
  /** What the rail below it shows. */
  shown: ReadonlySignal<NotchWindow | null>;
}

/** A long run as a whole: the states in the order of its transitions, many to a pixel, and which of them the rail shows. */
export function Overview({ run, figures, palette, width, shown }: OverviewProps) {
  const canvas = useRef<HTMLCanvasElement>(null);
  const lens = useRef<HTMLSpanElement>(null);
  const mark = useRef<HTMLSpanElement>(null);

  useSignalEffect(() => {
    const [keys, colours, wide] = [figures.value?.keys ?? [], palette.value, width.value];
    if (!canvas.current || !colours || wide === 0) return;
    const context = prepared(canvas.current, wide, height);
    if (context) drawGroups(context, keys, colours, wide);
  });
  useSignalEffect(() => {
    const [seq, of, wide] = [run.seq.value, run.trace.value?.transitions.length ?? 1, width.value];
    const notches = shown.value;
    if (!lens.current || !mark.current || !notches) return;
    const whole = { first: 1, last: of };
    const from = notchX(notches.first, whole, wide);
    lens.current.style.transform = `translateX(${from}px)`;
    lens.current.style.width = `${Math.max(6, notchX(notches.last, whole, wide) - from)}px`;
    mark.current.style.transform = `translateX(${notchX(seq, whole, wide)}px)`;
  });
  return (
    <div class="overview" aria-hidden="true">
      <canvas ref={canvas} />
      <span class="lens" ref={lens} />
      <span class="mark" ref={mark} />
    </div>
  );
}

/** Each column has the states of its transitions, one above the other, as high as they are frequent. */
function drawGroups(
  context: CanvasRenderingContext2D,
  keys: Figures['keys'],
  palette: Palette,
  width: number,
): void {
  const columns = Math.min(keys.length, Math.floor((width - 2 * inset) / 2));
  const columnWidth = (width - 2 * inset) / columns;
  for (let column = 0; column < columns; column++) {
    const group = keys.slice(
      Math.floor((column * keys.length) / columns),
      Math.floor(((column + 1) * keys.length) / columns),
    );
    const counts = new Map<(typeof group)[number], number>();
    for (const key of group) counts.set(key, (counts.get(key) ?? 0) + 1);
    let y = 2;
    for (const [key, count] of counts) {
      const share = ((height - 4) * count) / group.length;
      context.fillStyle = palette.states[key].fill;
      context.fillRect(inset + column * columnWidth, y, Math.max(1, columnWidth - 0.4), share);
      y += share;
    }
  }
}
