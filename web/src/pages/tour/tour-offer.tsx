import './tour.css';
import { chatPath, go, href } from '../../base/place.ts';
import { may } from '../../data/connection.ts';
import { useAction } from '../../data/use-action.ts';
import { ask } from '../../data/use-request.ts';
import { Failure } from '../../parts/failure.tsx';
import { closeGuide, tourModel } from './tour.ts';
import { t } from './words.ts';

interface TourOfferProps {
  /** For who has seen it before, perhaps. */
  isSmall?: boolean;
  /** With a link to the lessons. */
  hasLessons?: boolean;
}

/**
 * Offers the guided demo: large to those who have no session yet, small above a new one and in the settings. To name a model needs the scope
 * `admin`, so others are offered the lessons alone.
 */
export function TourOffer({ isSmall = false, hasLessons = true }: TourOfferProps) {
  const { isBusy, error, act } = useAction();
  const start = () => void act(startTour);
  const mayStart = may('admin');
  if (!mayStart && !hasLessons) return null;
  return (
    <section class={isSmall ? 'tour-offer' : 'tour-offer panel'} aria-label={t.offerTitle}>
      {!isSmall && <h2>{t.offerTitle}</h2>}
      {!isSmall && mayStart && <p>{t.offer}</p>}
      <div class="acts">
        {mayStart && (
          <button type="button" class={isSmall ? 'btn' : 'btn primary'} disabled={isBusy} onClick={start}>
            {isSmall ? t.startAgain : t.start}
          </button>
        )}
        {hasLessons && (
          <a class={isSmall ? 'btn' : 'btn ghost'} href={href('/learn')}>
            {t.lessons}
          </a>
        )}
      </div>
      {error && <Failure error={error} retry={start} />}
    </section>
  );
}

/** Starts the demo in a session of its own, and opens that. @throws ClientError */
async function startTour(): Promise<void> {
  const { sessionId } = await ask('agent.run', { prompt: t.prompt, model: tourModel });
  closeGuide(false);
  go(chatPath(sessionId));
}
