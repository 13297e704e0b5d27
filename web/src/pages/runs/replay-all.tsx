import { useEffect, useRef, useState } from 'preact/hooks';
import { announce } from '../../base/announce.tsx';
import { count, shortId } from '../../base/format.ts';
import { href, runPath } from '../../base/place.ts';
import { asClientError, ask } from '../../data/use-request.ts';
import { type Replayed, type ReplaySum, replayed, sumOf } from './replayed.ts';
import { t } from './words.ts';

/** How many logs are folded at a time. */
const atOnce = 4;

interface ReplayAllProps {
  runIds: readonly string[];
  onClose(): void;
}

/** The trace of a run behind its last transition: all before it is folded for that. */
async function folded(runId: string) {
  const { lastSeq } = await ask('run.trace', { runId, limit: 1 });
  return ask('run.trace', { runId, afterSeq: lastSeq, limit: 1 });
}

/** Folds the logs of the runs that are shown once more, and says whether each agrees with the machine. */
export function ReplayAll({ runIds, onClose }: ReplayAllProps) {
  const [found, keep] = useState<readonly Replayed[]>([]);
  const asked = useRef(runIds).current;
  const isWhole = found.length === asked.length;
  useEffect(() => {
    let isShown = true;
    const left = [...asked];
    const next = async (): Promise<void> => {
      const runId = left.shift();
      if (runId === undefined || !isShown) return;
      const one = await folded(runId).then(replayed, (reason: unknown) => ({
        runId,
        kind: 'unread' as const,
        what: asClientError(reason).message,
      }));
      if (isShown) keep((before) => [...before, one]);
      return next();
    };
    for (let i = 0; i < atOnce; i++) void next();
    return () => {
      isShown = false;
    };
  }, [asked]);
  const sum = sumOf(found);
  useEffect(() => {
    if (isWhole) announce(t.agree(sum.agree, count(sum.transitions)));
  }, [isWhole]);
  return (
    <section class="panel replay" aria-label={t.replayAll}>
      {isWhole ? (
        <Result sum={sum} />
      ) : (
        <>
          <p>{t.replaying(found.length + 1, asked.length)}</p>
          <progress max={asked.length} value={found.length} aria-label={t.replayAll} />
        </>
      )}
      <button type="button" class="btn small" onClick={onClose}>
        {t.close}
      </button>
    </section>
  );
}

function Result({ sum: { agree, transitions, unknown, diverged, unread } }: { sum: ReplaySum }) {
  return (
    <div>
      {agree > 0 && <p>{t.agree(agree, count(transitions))}</p>}
      {diverged.length > 0 && <p class="trouble">{t.diverged(diverged.length)}</p>}
      <List runs={diverged} />
      {unknown > 0 && <p>{t.unknown(unknown)}</p>}
      {unread.length > 0 && <p class="trouble">{t.unread(unread.length)}</p>}
      <List runs={unread} />
    </div>
  );
}

function List({ runs }: { runs: ReplaySum['diverged'] }) {
  return (
    <ul>
      {runs.map(({ runId, what }) => (
        <li key={runId}>
          <a class="link mono" href={href(runPath(runId))}>
            {shortId(runId)}
          </a>{' '}
          {what}
        </li>
      ))}
    </ul>
  );
}
