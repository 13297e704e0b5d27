import './actors.css';
import type { PageProps } from '../../base/page-props.ts';
import { useRequest } from '../../data/use-request.ts';
import { Failure } from '../../parts/failure.tsx';
import { Headline } from '../../parts/headline.tsx';
import { ActorLine } from './actor-line.tsx';
import { ShowYourOwn } from './show-your-own.tsx';
import { t } from './words.ts';

/** The actors that programs of the user show here, the one that moved last first. */
export function ActorsPage(_: PageProps) {
  const { data, error, isLoading, reload } = useRequest('inspect.list', {}, { everyMs: 2_000 });
  const actors = data?.actors ?? [];
  const names = new Map(actors.map(({ actorId, name }) => [actorId, name]));
  return (
    <main class="page actors-page">
      <div class="wrap actors">
        <Headline title={t.title} about={t.about} />
        {error && <Failure error={error} retry={reload} />}
        {isLoading && <p class="loading">{t.loading}</p>}
        {actors.length > 0 && (
          <>
            <div class="actor-head label" aria-hidden="true">
              <span>{t.columnActor}</span>
              <span>{t.columnState}</span>
              <span class="num">{t.columnTransitions}</span>
              <span class="num">{t.columnMoved}</span>
              <span class="num">{t.columnSince}</span>
            </div>
            <ul class="panel actor-list">
              {actors.map((actor) => (
                <ActorLine
                  key={actor.actorId}
                  actor={actor}
                  parentName={names.get(actor.parentActorId ?? '')}
                />
              ))}
            </ul>
          </>
        )}
        {data && data.dropped > 0 && <p class="dim">{t.forgotten(data.dropped)}</p>}
        {data && actors.length === 0 && (
          <section class="actors-none">
            <p>{t.none}</p>
            <ShowYourOwn />
          </section>
        )}
        {actors.length > 0 && (
          <details>
            <summary>{t.own}</summary>
            <ShowYourOwn />
          </details>
        )}
      </div>
    </main>
  );
}
