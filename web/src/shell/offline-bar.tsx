import { useEffect, useState } from 'preact/hooks';
import { timeOfDay } from '../base/format.ts';
import { client, connection, staleSince } from '../data/connection.ts';
import { t } from './words.ts';

/** Says while the gateway does not answer: since when the page may be old, and when it tries again. Leaves by itself. */
export function OfflineBar() {
  const since = staleSince.value;
  const { retryAt } = connection.value;
  const [now, tick] = useState(Date.now());
  useEffect(() => {
    if (since === null) return;
    const timer = setInterval(() => tick(Date.now()), 500);
    return () => clearInterval(timer);
  }, [since === null]);
  // A moment's break is none that a person must know of.
  if (since === null || now - since < 400) return null;
  const seconds = retryAt === null ? 0 : Math.ceil((retryAt - now) / 1_000);
  return (
    <div class="offline" role="status">
      <span>{t.offline(timeOfDay(since, true))}</span>
      <span aria-live="off">{seconds > 0 ? t.offlineNext(seconds) : t.offlineNow}</span>
      <button type="button" class="btn small" onClick={() => client().connect()}>
        {t.tryNow}
      </button>
    </div>
  );
}
