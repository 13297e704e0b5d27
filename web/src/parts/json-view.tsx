import './json-view.css';
import { useState } from 'preact/hooks';
import { CopyButton } from './copy-button.tsx';
import { visible } from './visible.ts';
import { t } from './words.ts';

/** A text of more characters is cut, and a list of more entries, until a person asks for the rest. */
const maxChars = 2_000;
const maxEntries = 100;
/** Values at this depth and below are folded at first. */
const foldedFrom = 3;

/** A JSON value: pretty, foldable, with what is long cut. */
export function JsonView({ value, label }: { value: unknown; label: string }) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keys
    <section class="json" tabIndex={0} aria-label={label}>
      <span class="json-tools">
        <CopyButton text={() => JSON.stringify(value, null, 2)} class="btn small ghost" />
      </span>
      <div>
        <Value value={value} depth={0} />
      </div>
    </section>
  );
}

function Value({ value, depth, name }: { value: unknown; depth: number; name?: string }) {
  const key = name !== undefined && <span class="key">{visible(name)}</span>;
  if (typeof value === 'string') return <Text text={value} name={name} />;
  if (typeof value !== 'object' || value === null)
    return (
      <>
        {key}
        <span class="figure">{String(value)}</span>
      </>
    );
  const isList = Array.isArray(value);
  const entries = Object.entries(value);
  const [open, close] = isList ? ['[', ']'] : ['{', '}'];
  if (entries.length === 0)
    return (
      <>
        {key}
        {open + close}
      </>
    );
  return (
    <Entries
      entries={entries}
      depth={depth}
      name={name}
      sign={`${open} ${isList ? t.entries(entries.length) : t.fields(entries.length)} ${close}`}
      isList={isList}
    />
  );
}

interface EntriesProps {
  entries: readonly [string, unknown][];
  depth: number;
  name?: string | undefined;
  sign: string;
  isList: boolean;
}

function Entries({ entries, depth, name, sign, isList }: EntriesProps) {
  const [shown, show] = useState(maxEntries);
  const [isOpen, setOpen] = useState(depth < foldedFrom);
  return (
    <details open={isOpen} onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>
        {name !== undefined && <span class="key">{visible(name)}</span>}
        <span class="dim">{sign}</span>
      </summary>
      {isOpen && (
        <ul>
          {entries.slice(0, shown).map(([key, value]) => (
            <li key={key}>
              <Value value={value} depth={depth + 1} {...(!isList && { name: key })} />
            </li>
          ))}
          {entries.length > shown && (
            <li>
              <button type="button" class="btn small ghost" onClick={() => show(shown + maxEntries * 10)}>
                {t.moreEntries(entries.length - shown)}
              </button>
            </li>
          )}
        </ul>
      )}
    </details>
  );
}

function Text({ text, name }: { text: string; name?: string | undefined }) {
  const [isWhole, showWhole] = useState(false);
  const shown = visible(isWhole ? text : text.slice(0, maxChars));
  const key = name !== undefined && <span class="key">{visible(name)}</span>;
  const more = !isWhole && text.length > maxChars && (
    <button type="button" class="btn small ghost" onClick={() => showWhole(true)}>
      {t.moreCharacters(text.length - maxChars)}
    </button>
  );
  if (text.includes('\n'))
    return (
      <>
        {key}
        <span class="dim">{t.textOfLines(text.split('\n').length)}</span>
        <pre>{shown}</pre>
        {more}
      </>
    );
  return (
    <>
      {key}
      <span class="text">"{shown}"</span> {more}
    </>
  );
}
