import type { Inspected } from '../../../data/inspected.ts';
import { t } from '../words.ts';
import { type Player, speeds } from './play.ts';

interface PlayButtonsProps {
  run: Inspected;
  player: Player;
  /** Makes a move of the person's own, which ends the play. */
  moved: (move: () => void) => void;
}

/** Back, play, on; how fast; and whether the newest transition is shown. */
export function PlayButtons({ run, player, moved }: PlayButtonsProps) {
  const isPlaying = player.isPlaying.value;
  const isLive = run.isAtHead.value && run.trace.value?.ended === false;
  return (
    <div class="deck">
      <div class="row">
        <button
          type="button"
          class="btn icon"
          aria-label={`${t.previous} (←)`}
          onClick={() => moved(() => run.step(-1))}
        >
          ‹
        </button>
        <button
          type="button"
          class="btn icon"
          aria-label={`${isPlaying ? t.pause : t.play} (Space)`}
          onClick={() => player.toggle()}
        >
          <svg width="12" height="12" viewBox="0 0 12 12" aria-hidden="true">
            <path d={isPlaying ? 'M2 1h3v10h-3zM7 1h3v10h-3z' : 'M2 1l9 5-9 5z'} fill="currentColor" />
          </svg>
        </button>
        <button
          type="button"
          class="btn icon"
          aria-label={`${t.next} (→)`}
          onClick={() => moved(() => run.step(1))}
        >
          ›
        </button>
      </div>
      <div class="row more">
        <button
          type="button"
          class="btn small speed"
          aria-label={t.speed(player.speed.value)}
          onClick={() =>
            player.setSpeed(speeds[(speeds.indexOf(player.speed.value) + 1) % speeds.length] ?? 1)
          }
        >
          {player.speed.value}×
        </button>
        <button
          type="button"
          class="btn small"
          aria-pressed={run.isAtHead.value}
          title={`${t.newest} (End)`}
          onClick={() => moved(() => run.show(null))}
        >
          {isLive ? t.live : t.end}
        </button>
      </div>
    </div>
  );
}
