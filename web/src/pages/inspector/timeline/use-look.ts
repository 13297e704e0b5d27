import { effect, type ReadonlySignal, signal } from '@preact/signals';
import type { RefObject } from 'preact';
import { useEffect, useMemo } from 'preact/hooks';
import { type Palette, readPalette } from './palette.ts';

/** What a canvas must know of its surroundings, and draw anew when it changes. */
interface Surroundings {
  /** Of the element, in pixels; 0 until it is shown. */
  width: ReadonlySignal<number>;
  /** Null until it is shown. */
  palette: ReadonlySignal<Palette | null>;
  /** Whether the screen has room for more than the rail. */
  isDeep: ReadonlySignal<boolean>;
}

const darkness = '(prefers-color-scheme: dark)';
const smallness = '(max-width: 900px)';

export function useSurroundings(box: RefObject<HTMLElement | null>): Surroundings {
  const held = useMemo(() => {
    const isDeep = signal(!matchMedia(smallness).matches);
    return { width: signal(0), palette: signal<Palette | null>(null), isDeep };
  }, []);
  useEffect(() => {
    const element = box.current;
    if (!element) return;
    const colours = () => {
      held.palette.value = readPalette(element);
    };
    const small = matchMedia(smallness);
    const measure = () => {
      held.width.value = element.clientWidth;
      held.isDeep.value = !small.matches;
    };
    const sizes = new ResizeObserver(measure);
    const themes = new MutationObserver(colours);
    const dark = matchMedia(darkness);
    sizes.observe(element);
    themes.observe(document.documentElement, { attributeFilter: ['data-theme'] });
    dark.addEventListener('change', colours);
    small.addEventListener('change', measure);
    measure();
    colours();
    // Texts are measured: again when their font has come.
    let isShown = true;
    void document.fonts.ready.then(() => {
      if (isShown) colours();
    });
    return () => {
      isShown = false;
      sizes.disconnect();
      themes.disconnect();
      dark.removeEventListener('change', colours);
      small.removeEventListener('change', measure);
    };
  }, [held]);
  return held;
}

/** The present time, which moves while a run does. */
export function useNow(isMoving: ReadonlySignal<boolean>): ReadonlySignal<number> {
  const now = useMemo(() => signal(Date.now()), []);
  useEffect(() => {
    let timer: ReturnType<typeof setInterval> | undefined;
    const stop = effect(() => {
      clearInterval(timer);
      if (!isMoving.value) return;
      timer = setInterval(() => {
        now.value = Date.now();
      }, 1_000);
    });
    return () => {
      stop();
      clearInterval(timer);
    };
  }, [now]);
  return now;
}

/** A canvas of this size, sharp on every screen. */
export function prepared(
  canvas: HTMLCanvasElement,
  width: number,
  height: number,
): CanvasRenderingContext2D | null {
  const ratio = Math.min(3, devicePixelRatio || 1);
  const [w, h] = [Math.round(width * ratio), Math.round(height * ratio)];
  if (canvas.width !== w) canvas.width = w;
  if (canvas.height !== h) canvas.height = h;
  const context = canvas.getContext('2d');
  context?.setTransform(ratio, 0, 0, ratio, 0, 0);
  context?.clearRect(0, 0, width, height);
  return context;
}
