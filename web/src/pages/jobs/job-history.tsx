import { useState } from 'preact/hooks';
import type { DeliveryView, FireView, JobView } from '#src/protocol/views.ts';
import { announce } from '../../base/announce.tsx';
import { duration } from '../../base/format.ts';
import { href, runPath } from '../../base/place.ts';
import { useAction } from '../../data/use-action.ts';
import { ask } from '../../data/use-request.ts';
import { Failure } from '../../parts/failure.tsx';
import { Shape } from '../../parts/shape.tsx';
import type { StateKey } from '../../parts/states.ts';
import { errorInWords } from '../../parts/why/finding.ts';
import { barsShown, kindOf, tookMs } from './bars.ts';
import { outcomeText, slotNote, slotTime } from './slot-text.ts';
import { targetText } from './target-text.ts';
import { t } from './words.ts';

/** All slots on record, newest first, a page at a time. */
export function JobHistory({ job, newest }: { job: JobView; newest: readonly FireView[] | undefined }) {
  const [older, keepOlder] = useState<readonly FireView[]>([]);
  const [isAll, markAll] = useState(false);
  const { error, act } = useAction();
  if (newest === undefined) return null;
  const [first] = older;
  // New slots push the oldest of the first page out: they are shown once.
  const slots = [...newest.filter(({ n }) => first === undefined || n > first.n), ...older];
  const last = slots.at(-1);
  const isMore = !isAll && newest.length >= barsShown && last !== undefined && last.n > 1;
  const readMore = async () => {
    const limit = 50;
    const input = { jobId: job.jobId, limit, ...(last && { below: last.n }) };
    const { slots: found } = await ask('cron.history', input);
    markAll(found.length < limit);
    keepOlder([...(older.length === 0 ? slots : older), ...found]);
  };
  const more = () => void act(readMore);
  return (
    <section class="panel slots" aria-labelledby="slots-title">
      <h2 id="slots-title">{t.historyTitle}</h2>
      {slots.length === 0 && <p class="slots-more dim">{t.noHistory}</p>}
      {slots.length > 0 && (
        <table>
          <thead>
            <tr>
              <th scope="col">{t.slot}</th>
              <th scope="col">{t.outcome}</th>
              <th scope="col" class="num wide">
                {t.took}
              </th>
              <th scope="col" class="wide">
                {t.deliveriesOfSlot}
              </th>
              <th scope="col">{t.run}</th>
            </tr>
          </thead>
          <tbody>
            {slots.map((slot) => (
              <SlotRow key={slot.n} jobId={job.jobId} slot={slot} />
            ))}
          </tbody>
        </table>
      )}
      {error && <Failure error={error} retry={more} />}
      {isMore && (
        <p class="slots-more">
          <button type="button" class="btn small" onClick={more}>
            {t.older}
          </button>
        </p>
      )}
    </section>
  );
}

const shapes: Readonly<Record<ReturnType<typeof kindOf>, StateKey>> = {
  done: 'done',
  failed: 'fail',
  cancelled: 'cancel',
  missed: 'back',
  none: 'idle',
  working: 'think',
  waiting: 'ask',
};

function SlotRow({ jobId, slot }: { jobId: string; slot: FireView }) {
  const kind = kindOf(slot);
  const took = tookMs(slot);
  const isDead = slot.deliveries.some(({ status }) => status === 'dead');
  return (
    <tr>
      <td class="nw">
        {slotTime(slot)}
        <div class="dim">{slotNote(slot)}</div>
      </td>
      <td>
        <span class="st" data-s={kind === 'missed' ? 'idle' : shapes[kind]}>
          <Shape state={shapes[kind]} />
          <span class="outcome">{slot.status === 'ok' ? t.slotOk : outcomeText(slot)}</span>
        </span>
      </td>
      <td class="num wide">{took === null ? '' : duration(took)}</td>
      <td class="wide">
        <ul class="deliv">
          {slot.deliveries.map((delivery) => (
            <DeliveryChip key={JSON.stringify([delivery.target, delivery.isAlert])} delivery={delivery} />
          ))}
        </ul>
        {isDead && <Redeliver jobId={jobId} n={slot.n} />}
      </td>
      <td>
        {slot.runId !== null && (
          <a class="link" href={href(runPath(slot.runId))}>
            {t.run} {slot.n}
          </a>
        )}
      </td>
    </tr>
  );
}

function DeliveryChip({
  delivery: { target, isAlert, status, attempts, error },
}: {
  delivery: DeliveryView;
}) {
  const state = {
    dead: t.refused(attempts),
    delivered: t.delivered,
    pending: error === null ? t.underWay : t.retried(attempts),
  }[status];
  return (
    <li
      class={error !== null && status !== 'delivered' ? 'bad' : undefined}
      title={error ? errorInWords(error) : undefined}
    >
      {isAlert ? t.alertTo(targetText(target)) : targetText(target)}
      <span class="dim">{state}</span>
    </li>
  );
}

function Redeliver({ jobId, n }: { jobId: string; n: number }) {
  const { error, act } = useAction();
  const redeliver = async () => {
    const { redelivered } = await ask('cron.redeliver', { jobId, n });
    announce(t.redelivered(redelivered));
  };
  return (
    <>
      <button type="button" class="btn small" onClick={() => void act(redeliver)}>
        {t.redeliver}
      </button>
      {error && <Failure error={error} />}
    </>
  );
}
