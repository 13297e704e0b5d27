import { useState } from 'preact/hooks';
import { bytes } from '../../../base/format.ts';
import type { ToolCall } from '../../../data/conversation/entries.ts';
import { Diff } from '../../../parts/diff.tsx';
import { JsonView } from '../../../parts/json-view.tsx';
import { visible } from '../../../parts/visible.ts';
import { t } from '../words.ts';
import { saveArtifact } from './artifact.ts';
import { type ShownResult, shownResult } from './tool-result.ts';

const maxRows = 10;
const maxLines = 12;
const maxText = 50_000;

interface ResultViewProps {
  result: NonNullable<ToolCall['result']>;
  artifact: string | null;
  isError: boolean;
}

/** What a tool gave: a table, a diff, JSON or words. Long ones are folded. */
export function ResultView({ result, artifact, isError }: ResultViewProps) {
  const shown = shownResult(result.content);
  return (
    <div class={isError ? 'tool-part bad' : 'tool-part'}>
      {result.code !== null && <p class="tool-code mono">{result.code}</p>}
      <Shown shown={shown} />
      {artifact !== null && (
        <p class="tool-note">
          <SaveButton id={artifact} />
        </p>
      )}
    </div>
  );
}

function Shown({ shown }: { shown: ShownResult }) {
  switch (shown.as) {
    case 'nothing':
      return null;
    case 'table':
      return <Rows {...shown} />;
    case 'json':
      return <JsonView value={shown.value} label={t.result} />;
    case 'diff':
      return <Diff text={shown.text} label={t.result} />;
    case 'text':
      return <LongText text={shown.text} />;
  }
}

function Rows({ columns, rows, facts }: Extract<ShownResult, { as: 'table' }>) {
  const [isAll, showAll] = useState(false);
  const some = isAll ? rows.slice(0, 1_000) : rows.slice(0, maxRows);
  const isNumber = (column: string) =>
    rows.slice(0, 50).every((row) => !Object.hasOwn(row, column) || typeof row[column] === 'number');
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls is reached by the keyboard.
    <section class="tool-table" tabIndex={0} aria-label={t.result}>
      <table>
        <thead>
          <tr>
            {columns.map((column) => (
              <th scope="col" class={isNumber(column) ? 'num' : undefined}>
                {visible(column)}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {some.map((row) => (
            <tr>
              {columns.map((column) => (
                <td class={isNumber(column) ? 'num' : undefined}>{cellText(row, column)}</td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
      {facts !== '' && <p class="tool-note">{visible(facts)}</p>}
      {rows.length > some.length && !isAll && (
        <p class="tool-note">
          <button type="button" class="btn small" onClick={() => showAll(true)}>
            {t.rows(rows.length - some.length)}
          </button>
        </p>
      )}
    </section>
  );
}

/** A row need not have each column, and a column may have the name of what every object inherits. */
function cellText(row: Readonly<Record<string, unknown>>, column: string): string {
  const value = Object.hasOwn(row, column) ? row[column] : null;
  return value === null ? '–' : visible(String(value).slice(0, 500));
}

function LongText({ text }: { text: string }) {
  const [isAll, showAll] = useState(false);
  const lines = text.split('\n', maxLines + 1);
  const isLong = lines.length > maxLines || text.length > 2_000;
  const some = isAll ? text.slice(0, maxText) : lines.slice(0, maxLines).join('\n').slice(0, 2_000);
  return (
    <>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls is reached by the keyboard. */}
      <pre class="tool-text" tabIndex={0}>
        {visible(some)}
      </pre>
      {isLong && (
        <p class="tool-note">
          <button type="button" class="btn small" aria-expanded={isAll} onClick={() => showAll(!isAll)}>
            {isAll ? t.showLess : t.showAll}
          </button>
          {isAll && text.length > maxText && <span class="dim">{t.cut(bytes(text.length))}</span>}
        </p>
      )}
    </>
  );
}

function SaveButton({ id }: { id: string }) {
  const [error, fail] = useState<string | null>(null);
  return (
    <>
      <button
        type="button"
        class="btn small"
        onClick={() =>
          saveArtifact(id, `${id}.txt`).then(
            () => fail(null),
            (reason: Error) => fail(reason.message),
          )
        }
      >
        {t.wholeOutput}
      </button>
      {error !== null && <span role="alert">{t.fileFailed(error)}</span>}
    </>
  );
}
