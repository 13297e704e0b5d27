import { useContext, useId, useState } from 'preact/hooks';
import { mayTalk } from '../../../data/connection.ts';
import { useAction } from '../../../data/use-action.ts';
import { ask } from '../../../data/use-request.ts';
import { Failure } from '../../../parts/failure.tsx';
import { Icon } from '../../../parts/icon.tsx';
import { visible } from '../../../parts/visible.ts';
import { t } from '../words.ts';
import { type Rating, Whose } from './whose.ts';

type Thumb = 'up' | 'down';

/** What was said in this visit. */
const said = new Map<string, Thumb>();

const thumbUp =
  'M4.5 6.5v6M4.5 7 7 2c1.4 0 1.8 1 1.5 2.3L8.2 5.8h3c1 0 1.5.8 1.3 1.7l-.8 3.8c-.2.8-.8 1.2-1.5 1.2H4.5M2 6.5v6';
const thumbDown =
  'M4.5 7.5v-6M4.5 7 7 12c1.4 0 1.8-1 1.5-2.3L8.2 8.2h3c1 0 1.5-.8 1.3-1.7l-.8-3.8c-.2-.8-.8-1.2-1.5-1.2H4.5M2 7.5v-6';

/** What the user said, for the staff. */
function Rated({ rating: { thumb, reason } }: { rating: Rating }) {
  return (
    <span class={`rated ${thumb}`}>
      <Icon size={14} path={thumb === 'up' ? thumbUp : thumbDown} strokeWidth={1.3} />
      {thumb === 'up' ? t.ratedGood : t.ratedBad}
      {reason !== undefined && <q>{visible(reason)}</q>}
    </span>
  );
}

/** What the user of a session says of the last answer of a run: a thumb at once, and then a reason, if they like. */
export function Rate({ runId }: { runId: string }) {
  const { sessionId, other, ratings } = useContext(Whose);
  const id = useId();
  const [given, setThumb] = useState(said.get(runId) ?? null);
  const kept = ratings.get(runId);
  const thumb = given ?? kept?.thumb ?? null;
  const [reason, write] = useState<string | null>(null);
  const [isThanked, thank] = useState(false);
  const { isBusy, error, act } = useAction();
  if (other !== null) return kept ? <Rated rating={kept} /> : null;
  if (!mayTalk()) return null;
  const send = async (one: Thumb, words = '') => {
    const why = words.trim() === '' ? {} : { reason: words.trim() };
    const isSaid = await act(() => ask('session.rate', { sessionId, runId, thumb: one, ...why }));
    if (isSaid) said.set(runId, one);
    return isSaid;
  };
  const rate = async (one: Thumb) => {
    if (!(await send(one))) return;
    setThumb(one);
    thank(false);
    write('');
  };
  return (
    <>
      {(['up', 'down'] as const).map((one) => (
        <button
          key={one}
          type="button"
          class="copy thumb"
          aria-label={one === 'up' ? t.rateUp : t.rateDown}
          title={one === 'up' ? t.rateUp : t.rateDown}
          aria-pressed={thumb === one}
          disabled={isBusy}
          onClick={() => void rate(one)}
        >
          <Icon size={14} path={one === 'up' ? thumbUp : thumbDown} strokeWidth={1.3} />
        </button>
      ))}
      {isThanked && <span role="status">{t.rated}</span>}
      {thumb !== null && reason !== null && (
        <form
          class="rate-why"
          onSubmit={(event) => {
            event.preventDefault();
            void send(thumb, reason).then((isSaid) => {
              if (!isSaid) return;
              write(null);
              thank(true);
            });
          }}
        >
          <label class="label" for={id}>
            {t.rateWhy}
          </label>
          <input
            class="field"
            id={id}
            maxLength={2_000}
            autocomplete="off"
            value={reason}
            onInput={(event) => write(event.currentTarget.value)}
          />
          <button type="submit" class="btn small primary" disabled={isBusy || reason.trim() === ''}>
            {t.rateSend}
          </button>
          <button type="button" class="btn small ghost" onClick={() => write(null)}>
            {t.rateNot}
          </button>
        </form>
      )}
      {error && <Failure error={error} />}
    </>
  );
}
