import { useEffect, useState } from 'preact/hooks';
import { href } from '../../base/place.ts';
import { useRequest } from '../../data/use-request.ts';
import { Failure } from '../../parts/failure.tsx';
import { visibleProse } from '../../parts/visible.ts';
import { pathOfFile } from './path-of-file.ts';
import { t } from './words.ts';

const linesAtOnce = 400;

/** A file with numbered lines. It begins some lines before the one that the link names. */
export function MemoryFile({ path, line }: { path: string; line: number }) {
  const [limit, setLimit] = useState(linesAtOnce);
  const [first] = useState(Math.max(1, line - 20));
  const { data, error, reload } = useRequest('memory.get', { path, line: first, limit });
  const text = data;
  useEffect(() => {
    if (text && line > 1) document.getElementById(`line-${line}`)?.scrollIntoView({ block: 'center' });
  }, [text === undefined, line]);
  if (error) return <Failure error={error} retry={reload} />;
  if (!text) return null;
  return (
    <article class="memory-file" aria-labelledby="memory-path">
      <header>
        <h2 id="memory-path" class="mono">
          {visibleProse(text.path)}
        </h2>
        <span class="dim">{t.total(text.totalLines)}</span>
        <span class={text.from === 'untrusted' ? 'author untrusted' : 'author'}>{t[text.from]}</span>
        <a class="link back" href={href('/memory')}>
          {t.back}
        </a>
      </header>
      <ol class="lines panel" start={text.startLine}>
        {text.text.split('\n').map((words, i) => {
          const number = text.startLine + i;
          return (
            <li key={number} id={`line-${number}`} class={number === line && line > 1 ? 'lit' : undefined}>
              <a href={href(`${pathOfFile(path)}?line=${number}`)} aria-label={`${t.copyLink} ${number}`}>
                {number}
              </a>
              <span>{visibleProse(words) || '\u00a0'}</span>
            </li>
          );
        })}
      </ol>
      {text.endLine < text.totalLines && (
        <button type="button" class="btn" onClick={() => setLimit(limit + linesAtOnce)}>
          {t.more}
        </button>
      )}
    </article>
  );
}
