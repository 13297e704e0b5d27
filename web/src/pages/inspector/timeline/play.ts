import { type ReadonlySignal, signal } from '@preact/signals';
import { useEffect, useMemo } from 'preact/hooks';
import type { Inspected } from '../../../data/inspected.ts';

const stepMs = 700;
export const speeds: readonly number[] = [1, 4, 16];

export interface Player {
  isPlaying: ReadonlySignal<boolean>;
  /** How many times as fast as usual. */
  speed: ReadonlySignal<number>;
  stop(): void;
  toggle(): void;
  setSpeed(times: number): void;
}

/** Shows transition after transition, until the last one. */
export function usePlay(run: Inspected): Player {
  const player = useMemo((): Player => {
    const isPlaying = signal(false);
    const speed = signal(1);
    let timer: ReturnType<typeof setInterval> | undefined;

    function stop(): void {
      clearInterval(timer);
      timer = undefined;
      isPlaying.value = false;
    }
    function start(): void {
      clearInterval(timer);
      isPlaying.value = true;
      timer = setInterval(() => {
        if (run.isAtHead.peek()) stop();
        else run.step(1);
      }, stepMs / speed.peek());
    }
    return {
      isPlaying,
      speed,
      stop,
      toggle(): void {
        if (isPlaying.peek()) {
          stop();
          return;
        }
        // At the end there is nothing left to play: it begins again.
        if (run.isAtHead.peek()) run.show(1);
        start();
      },
      setSpeed(times: number): void {
        speed.value = times;
        if (isPlaying.peek()) start();
      },
    };
  }, [run]);
  useEffect(() => player.stop, [player]);
  return player;
}
