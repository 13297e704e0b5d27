import { useEffect, useState } from 'preact/hooks';
import type { Output } from '#src/client/index.ts';
import { shortTime } from '../../base/format.ts';
import { chatPath, href } from '../../base/place.ts';
import { useRequest } from '../../data/use-request.ts';
import { Failure } from '../../parts/failure.tsx';
import { visible } from '../../parts/visible.ts';
import { markedParts } from './marked.ts';
import { type ListedSession, titleOf } from './session-groups.ts';
import { t } from './words.ts';

type Hit = Output<'session.search'>['results'][number];

interface HitsProps {
  query: string;
  /** All sessions, for their titles. */
  list: readonly ListedSession[];
  opened: (() => void) | undefined;
}

/** Sessions in which the words were said; each hit says by whom, and opens at its run. */
export function Hits({ query, list, opened }: HitsProps) {
  const [asked, ask] = useState(query);
  useEffect(() => {
    const timer = setTimeout(() => ask(query), 200);
    return () => clearTimeout(timer);
  }, [query]);
  const { data, error } = useRequest('session.search', { query: asked.slice(0, 4_000), limit: 30 });
  if (error) return <Failure error={error} />;
  if (!data) return null;
  if (data.results.length === 0)
    return <p class="empty">{typeof data.reason === 'string' ? data.reason : t.noHits}</p>;
  const bySession = Map.groupBy(data.results, ({ sessionId }) => sessionId);
  return (
    <>
      {[...bySession].map(([sessionId, hits]) => {
        const session = list.find((one) => one.sessionId === sessionId);
        return (
          <section key={sessionId}>
            <h2 class="label cut">{session ? titleOf(session) : sessionId}</h2>
            {hits.map((hit) => (
              <HitLink
                key={`${hit.runId} ${hit.at} ${hit.snippet}`}
                hit={hit}
                query={asked}
                opened={opened}
              />
            ))}
          </section>
        );
      })}
    </>
  );
}

function HitLink({ hit, query, opened }: { hit: Hit; query: string; opened: HitsProps['opened'] }) {
  const { sessionId, runId, at, role, snippet } = hit;
  const said = snippet.replace(/^(?:user|assistant): /, '');
  return (
    <a href={href(`${chatPath(sessionId)}?run=${encodeURIComponent(runId)}`)} onClick={opened}>
      <span class="dim">{role === 'user' ? t.you : t.agent}</span>
      <span class="hit">
        {markedParts(said, query).map(({ text, isMarked }, i) =>
          isMarked ? <mark key={i}>{visible(text)}</mark> : visible(text),
        )}
      </span>
      <span class="dim nw">{shortTime(at)}</span>
    </a>
  );
}
