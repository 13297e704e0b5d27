import { isCustomer, isOffline } from '../../data/connection.ts';
import { Failure } from '../failure.tsx';
import type { Deciding } from './decide.ts';
import { t } from './words.ts';

interface DecidingNoteProps {
  deciding: Deciding;
  /** The token may send it. */
  mayDecide: boolean;
  /** The key that came too soon. */
  tooSoon?: string | null;
}

/** What stands in the way of a decision, or became of one. */
export function DecidingNote({ deciding, mayDecide, tooSoon = null }: DecidingNoteProps) {
  if (deciding.error) return <Failure error={deciding.error} />;
  if (deciding.isBusy && isOffline.value)
    return (
      <p class="ask-note" role="status">
        {t.decidingOffline}{' '}
        <button type="button" class="btn small" onClick={deciding.takeBack}>
          {t.takeBack}
        </button>
      </p>
    );
  if (!mayDecide) return <p class="ask-note">{isCustomer() ? t.othersDecide : t.mayNot}</p>;
  if (tooSoon !== null) return <p class="ask-note">{t.tooSoon(tooSoon)}</p>;
  return null;
}
