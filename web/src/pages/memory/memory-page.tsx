import './memory.css';
import { bytes, shortTime } from '../../base/format.ts';
import type { PageProps } from '../../base/page-props.ts';
import { go, href, place } from '../../base/place.ts';
import { useRequest } from '../../data/use-request.ts';
import { Failure } from '../../parts/failure.tsx';
import { Headline } from '../../parts/headline.tsx';
import { SearchField } from '../../parts/search-field.tsx';
import { visibleProse } from '../../parts/visible.ts';
import { MemoryFile } from './memory-file.tsx';
import { MemoryHits } from './memory-hits.tsx';
import { pathOfFile } from './path-of-file.ts';
import { t } from './words.ts';

/** `/memory?q=tea` searches, `/memory/memory/2026-01-01.md?line=3` shows a file at a line. */
export function MemoryPage({ rest }: PageProps) {
  const files = useRequest('memory.list', {}, { everyMs: 15_000 });
  const list = files.data;
  const query = place.value.query.get('q') ?? '';
  const path = rest.join('/');
  return (
    <main class="page memory-page">
      <div class={`wrap memory${path === '' && query === '' ? '' : ' reading'}`}>
        <Headline title={t.title} about={t.about} />
        <aside class="memory-side">
          <SearchField
            key={path}
            value={query}
            label={t.search}
            onSearch={(text) =>
              go(text === '' ? '/memory' : `/memory?q=${encodeURIComponent(text)}`, { replace: true })
            }
          />
          <h2 class="label">{t.files}</h2>
          {files.error && <Failure error={files.error} retry={files.reload} />}
          <ul>
            {list?.files.map((file) => (
              <li key={file.path}>
                <a href={href(pathOfFile(file.path))} aria-current={file.path === path ? 'page' : undefined}>
                  <span class="cut mono">{visibleProse(file.path)}</span>
                  <span class="dim nw">{shortTime(file.changedAt)}</span>
                  <span class="dim nw num">{bytes(file.bytes)}</span>
                </a>
              </li>
            ))}
            {list?.problems.map((each) => (
              <li key={each.path} class="dim">
                <span class="mono">{each.path}</span> {each.problem}
              </li>
            ))}
          </ul>
          {list?.isCut && <p class="dim">{t.cut}</p>}
        </aside>
        <section class="memory-main">
          {query !== '' ? (
            <MemoryHits query={query} />
          ) : path !== '' ? (
            <MemoryFile key={path} path={path} line={Number(place.value.query.get('line')) || 1} />
          ) : list && list.files.length === 0 ? (
            <div class="empty">
              <p>{t.empty}</p>
              <a class="btn" href={href('/chat')}>
                {t.emptyHow}
              </a>
            </div>
          ) : (
            <p class="empty wide-only">{t.choose}</p>
          )}
        </section>
      </div>
    </main>
  );
}
