import { useEffect, useState } from 'preact/hooks';
import { type DiffRow, maxRows, rowsOfDiff, rowsOfTexts } from './diff-rows.ts';
import { visible } from './visible.ts';
import { t } from './words.ts';

const looks = {
  same: { class: '', sign: '' },
  added: { class: 'a', sign: '+' },
  removed: { class: 'd', sign: '−' },
  gap: { class: 'gap', sign: '⋯' },
  note: { class: 'note', sign: '' },
} as const;

/** A unified diff, with the numbers of its lines. Signs say what colours say. */
export function Diff({ text, label }: { text: string; label: string }) {
  return <DiffRows rows={rowsOfDiff(text)} label={label} />;
}

interface DiffOfTextsProps {
  before: string;
  after: string;
  label: string;
  /** Unchanged lines around each change. */
  context?: number;
}

/** The difference between two texts. */
export function DiffOfTexts({ before, after, label, context = 3 }: DiffOfTextsProps) {
  const [rows, show] = useState<DiffRow[] | null | undefined>();
  useEffect(() => {
    let isShown = true;
    void rowsOfTexts(before, after, context).then((found) => isShown && show(found));
    return () => {
      isShown = false;
    };
  }, [before, after, context]);
  if (rows === undefined) return null;
  if (rows === null) return <p class="dim">{t.tooDifferent}</p>;
  if (rows.length === 0) return <p class="dim">{t.noDifference}</p>;
  return <DiffRows rows={rows} label={label} />;
}

function DiffRows({ rows, label }: { rows: readonly DiffRow[]; label: string }) {
  const [isWhole, showWhole] = useState(false);
  const shown = isWhole ? rows : rows.slice(0, maxRows);
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keys
    <section class="diff" tabIndex={0} aria-label={label}>
      {shown.map(({ kind, line, text }, at) => (
        <div key={at} class={looks[kind].class}>
          <span>{line}</span>
          <span aria-hidden={kind === 'gap'}>{looks[kind].sign}</span>
          <span>{visible(text)}</span>
        </div>
      ))}
      {shown.length < rows.length && (
        <button type="button" class="btn small ghost" onClick={() => showWhole(true)}>
          {t.moreLines(rows.length - shown.length)}
        </button>
      )}
    </section>
  );
}
