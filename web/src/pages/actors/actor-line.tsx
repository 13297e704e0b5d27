import { count, shortTime, timeOfDay } from '../../base/format.ts';
import { actorPath, href } from '../../base/place.ts';
import type { ActorSummary } from '../../data/inspected-actor.ts';
import { Chip } from '../../parts/shape.tsx';
import { leafOf } from '../../parts/states.ts';
import { t } from './words.ts';

/** Chips of parallel states that a line has room for. */
const maxChips = 4;

interface ActorLineProps {
  actor: ActorSummary;
  /** Of its parent, if that is in the list. */
  parentName: string | undefined;
}

/** An actor, and what it does now: all of its words came from outside. */
export function ActorLine({ actor, parentName }: ActorLineProps) {
  const { actorId, name, sender, sessionId, status, isConnected, lastSeq, dropped } = actor;
  const paths = [actor.path].flat();
  return (
    <li class={isConnected && status === 'active' ? 'actor-line' : 'actor-line past'}>
      <div class="actor-who">
        <a class="actor-name cut" href={href(actorPath(actorId))}>
          {name}
        </a>
        <p class="sub">
          <span class="mono">{sessionId}</span> {t.of(sender ?? t.unnamed)}
          {parentName !== undefined && (
            <>
              {' · '}
              {t.childOf}{' '}
              <a class="link" href={href(actorPath(actor.parentActorId ?? ''))}>
                {parentName}
              </a>
            </>
          )}
        </p>
      </div>
      <div class="actor-states">
        {paths.slice(0, maxChips).map((path) => (
          <Chip key={path} state="decide">
            <span class="cut">{leafOf(path)}</span>
          </Chip>
        ))}
        {paths.length > maxChips && <span class="dim">+{paths.length - maxChips}</span>}
        <span class="dim">
          {t[status]}
          {!isConnected && `, ${t.gone}`}
        </span>
      </div>
      <div class="num" title={t.transitions(lastSeq)}>
        {count(lastSeq)}
        {dropped > 0 && <p class="dim">{t.dropped(dropped)}</p>}
      </div>
      <div class="num">{timeOfDay(actor.updatedAt, true)}</div>
      <div class="num">{shortTime(actor.createdAt)}</div>
    </li>
  );
}
