import { useEffect } from 'preact/hooks';
import { announce } from '../../../base/announce.tsx';
import { dayAndTime, timeOfDay } from '../../../base/format.ts';
import { actorPath, href } from '../../../base/place.ts';
import type { ActorSummary, InspectedActor } from '../../../data/inspected-actor.ts';
import { pathsAt } from '../../../data/run-trace.ts';
import { Chip } from '../../../parts/shape.tsx';
import { leafOf } from '../../../parts/states.ts';
import { Fact } from '../fact.tsx';
import { t } from './words.ts';

/** Chips of parallel states that the header has room for. */
const maxChips = 3;

/** What the actor is called, whose it is, whether it still moves, and where it was at the shown moment. */
export function ActorHeader({ actor }: { actor: InspectedActor }) {
  const summary = actor.actor.value;
  const notice = noticeOf(actor);
  useEffect(() => {
    if (notice !== null) announce(notice);
  }, [notice]);
  const trace = actor.trace.value;
  if (summary === null || trace === null) return null;
  const paths = pathsAt(trace, actor.seq.value);
  return (
    <header class="top actor-top">
      <div class="who">
        <h1 class="cut">{summary.name}</h1>
        <p class="sub cut">
          <a class="link" href={href('/actors')}>
            {t.all}
          </a>{' '}
          · <span class="mono">{summary.sessionId}</span> {t.of(summary.sender ?? t.unnamed)}
          <Parent summary={summary} />
        </p>
      </div>
      {notice !== null && <p class="notice">{notice}</p>}
      <dl class="facts">
        <div>
          <dt>{t.state}</dt>
          <dd class="chips">
            {paths.slice(0, maxChips).map((path) => (
              <Chip key={path} state="decide" plain>
                {leafOf(path)}
              </Chip>
            ))}
            {paths.length > maxChips && <span class="dim">+{paths.length - maxChips}</span>}
          </dd>
        </div>
        <Fact name={t.status}>{t[summary.status]}</Fact>
        <Fact name={t.program}>{summary.isConnected ? t.connected : t.gone}</Fact>
        <Fact name={t.since}>{dayAndTime(summary.createdAt)}</Fact>
      </dl>
    </header>
  );
}

function Parent({ summary: { parentSessionId, parentActorId } }: { summary: ActorSummary }) {
  if (parentSessionId === undefined) return null;
  if (parentActorId === undefined) return <> · {t.childOfGone(parentSessionId)}</>;
  return (
    <>
      {' · '}
      {t.childOf}{' '}
      <a class="link mono" href={href(actorPath(parentActorId))}>
        {parentSessionId}
      </a>
    </>
  );
}

/** What a person has to know of what is shown: the most important thing first. */
function noticeOf({ actor, error, againAt }: InspectedActor): string | null {
  if (error.value?.code === 'NOT_FOUND') return t.lost;
  if (actor.value === null) return null;
  const { status, isConnected } = actor.value;
  if (status !== 'active') return t.ended(t[status]);
  if (!isConnected) return t.hasGone;
  return againAt.value === null ? null : t.again(timeOfDay(againAt.value, true));
}
