import './timeline.css';
import type { ReadonlySignal } from '@preact/signals';
import { useShortcuts } from '../../../base/keys.ts';
import type { Inspected } from '../../../data/inspected.ts';
import type { Figures } from '../figures.ts';
import { t } from '../words.ts';
import { usePlay } from './play.ts';
import { PlayButtons } from './play-buttons.tsx';
import { Scale } from './scale.tsx';

interface TimelineProps {
  run: Inspected;
  figures: ReadonlySignal<Figures | null>;
}

/** The slider that moves all panes: a notch for each transition, all equally far apart, and below, what took how long. */
export function Timeline({ run, figures }: TimelineProps) {
  const player = usePlay(run);
  useShortcuts([
    { keys: '←', words: t.previous, act: () => moved(() => run.step(-1)) },
    { keys: '→', words: t.next, act: () => moved(() => run.step(1)) },
    { keys: 'Home', words: t.first, act: () => moved(() => run.show(1)) },
    { keys: 'End', words: t.newest, act: () => moved(() => run.show(null)) },
    { keys: 'Space', words: t.play, act: ({ target }) => (isPressed(target) ? false : player.toggle()) },
  ]);
  function moved(move: () => void): void {
    player.stop();
    move();
  }
  return (
    <section class="time" aria-label={t.timeline}>
      <PlayButtons run={run} player={player} moved={moved} />
      <Scale run={run} figures={figures} stop={player.stop} />
    </section>
  );
}

/** Space presses what has the focus. */
function isPressed(target: EventTarget | null): boolean {
  return target instanceof Element && target.matches('button, a, summary, [role="button"]');
}
