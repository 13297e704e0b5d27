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
  if (data.results.length === 0) return <p class="empty">{data.pending === 0 ? t.noHits : t.notIndexed}</p>;
  const bySession = Map.groupBy(data.results, ({ sessionId }) => sessionId);
  return (
    <>
      {[...bySession].map(([sessionId, hits]) => (
        <section key={sessionId}>
          <TitleOfHits sessionId={sessionId} list={list} />
          {hits.map((hit) => (
            <HitLink key={`${hit.runId} ${hit.at} ${hit.snippet}`} hit={hit} query={asked} opened={opened} />
          ))}
        </section>
      ))}
    </>
  );
}

/** What the session is called, also where it is older than those that are listed. */
function TitleOfHits({ sessionId, list }: { sessionId: string; list: readonly ListedSession[] }) {
  const isThis = (one: ListedSession) => one.sessionId === sessionId;
  const known = list.find(isThis);
  const { data } = useRequest('session.list', known ? null : { limit: 1, sessionId });
  const session = known ?? data?.sessions.find(isThis);
  return <h2 class="label cut">{session ? titleOf(session) : sessionId}</h2>;
}

/** The excerpt may go from one speaker to the next. */
function inWords(snippet: string): string {
  const own = snippet.replace(/^(?:user|assistant): /, '');
  return own.replace(/\n(user|assistant): /g, (_, role) => ` ${role === 'user' ? t.you : t.agent}: `);
}

function HitLink({ hit, query, opened }: { hit: Hit; query: string; opened: HitsProps['opened'] }) {
  const { sessionId, runId, at, role, snippet } = hit;
  return (
    <a class="found" href={href(`${chatPath(sessionId)}?run=${encodeURIComponent(runId)}`)} onClick={opened}>
      <span class="dim">{role === 'user' ? t.you : t.agent}</span>
      <span class="dim nw">{shortTime(at)}</span>
      <span class="hit">
        {markedParts(inWords(snippet), query).map(({ text, isMarked }, i) =>
          isMarked ? <mark key={i}>{visible(text)}</mark> : visible(text),
        )}
      </span>
    </a>
  );
}
