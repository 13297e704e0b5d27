import { href } from '../../base/place.ts';
import { useRequest } from '../../data/use-request.ts';
import { Failure } from '../../parts/failure.tsx';
import { visibleProse } from '../../parts/visible.ts';
import { pathOfFile } from './path-of-file.ts';
import { t } from './words.ts';

/** Passages that fit a query, each with a link to its line. */
export function MemoryHits({ query }: { query: string }) {
  const { data, error, reload } = useRequest('memory.search', { query, limit: 20 });
  const found = data;
  if (error) return <Failure error={error} retry={reload} />;
  if (!found) return null;
  if (found.results.length === 0)
    return (
      <p class="empty">
        {found.indexed === 0 && found.pending === 0 ? t.empty : t.none(query)}
        {found.stale && found.reason !== null && ` ${t.incomplete(found.reason)}`}
      </p>
    );
  return (
    <>
      <p class="dim">
        {found.mode === 'hybrid' ? t.byMeaning : t.byWords}
        {found.pending ? `, ${t.pending(found.pending)}` : ''}
      </p>
      <ol class="hits">
        {found.results.map((hit) => (
          <li key={`${hit.path} ${hit.startLine}`} class="panel">
            <a href={href(`${pathOfFile(hit.path)}?line=${hit.startLine}`)}>
              <b class="mono">{visibleProse(hit.path)}</b>{' '}
              <span class="dim">{t.lines(hit.startLine, hit.endLine)}</span>
            </a>
            {hit.heading !== '' && <p class="dim">{visibleProse(hit.heading)}</p>}
            <p class="snippet">{visibleProse(hit.snippet)}</p>
            <p class={hit.from === 'untrusted' ? 'author untrusted' : 'author'}>{t[hit.from]}</p>
          </li>
        ))}
      </ol>
    </>
  );
}
