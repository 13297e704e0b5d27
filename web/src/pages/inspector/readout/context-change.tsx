import { isObject } from '#src/protocol/json.ts';
import type { ContextChanges } from '#src/protocol/views.ts';
import type { Inspected } from '../../../data/inspected.ts';
import { t } from './words.ts';

/** The context of the machine: what the transition changed, then what stayed. That of a chart stands apart from what Detent keeps with it. */
export function ContextChange({ run }: { run: Inspected }) {
  const { transition, seq } = run;
  const context = run.contextAt(seq.value);
  const changes = transition.value?.changes ?? {};
  const isFlow = run.trace.value?.machine.name.startsWith('workflow:') ?? false;
  const { chart, own } = isFlow ? apart(changes) : { chart: changes, own: {} };
  const { user = null, ...others } = context ?? {};
  const kept = isFlow ? (isObject(user) ? user : {}) : (context ?? {});
  return (
    <section>
      <div class="secthead">
        <h2>{t.context}</h2>
        <code class="dim">{transition.value?.hash}</code>
      </div>
      {context === null ? (
        <p class="dim">{t.noContext}</p>
      ) : (
        <>
          <Changes changes={chart} />
          <Unchanged values={kept} changes={chart} />
          {isFlow && (
            <details>
              <summary>{t.ofDetent(Object.keys(own).length)}</summary>
              {Object.keys(own).length > 0 && <Changes changes={own} />}
              <Values entries={unchangedOf(others, own)} />
            </details>
          )}
        </>
      )}
    </section>
  );
}

/** The changes of the chart's own context, which is the field `user` of the run's, and the others. */
function apart(changes: ContextChanges): { chart: ContextChanges; own: ContextChanges } {
  const chart: ContextChanges = {};
  const own: ContextChanges = {};
  for (const [path, change] of Object.entries(changes))
    if (path.startsWith('user.')) chart[path.slice('user.'.length)] = change;
    else if (path !== 'user') own[path] = change;
    else if (isObject(change[1]))
      for (const [key, value] of Object.entries(change[1])) chart[key] = [null, value as never];
  return { chart, own };
}

function unchangedOf(values: object, changes: ContextChanges): [string, unknown][] {
  const changed = new Set(Object.keys(changes).map((path) => path.replace(/(?<!\\)\..*$/, '')));
  return Object.entries(values).filter(([key]) => !changed.has(key));
}

function Unchanged({ values, changes }: { values: object; changes: ContextChanges }) {
  const rest = unchangedOf(values, changes);
  if (rest.length === 0) return null;
  return (
    <details>
      <summary>{t.unchanged(rest.length)}</summary>
      <Values entries={rest} />
    </details>
  );
}

function Values({ entries }: { entries: readonly (readonly [string, unknown])[] }) {
  return (
    <table class="ctx">
      <tbody>
        {entries.map(([key, value]) => (
          <tr key={key} class="same">
            <th scope="row">
              <code>{key}</code>
            </th>
            <td class={lookOf(value)}>
              <code>{printed(value)}</code>
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

function Changes({ changes }: { changes: ContextChanges }) {
  const entries = Object.entries(changes);
  if (entries.length === 0) return <p class="dim">{t.nothingChanged}</p>;
  return (
    <table class="ctx">
      <tbody>
        {entries.map(([path, [before, after]]) => (
          <tr key={path}>
            <th scope="row">
              <code>{path.replaceAll('\\', '')}</code>
            </th>
            <td class={lookOf(after ?? before)}>
              {before !== null && (
                <del>
                  <code>{printed(before)}</code>
                </del>
              )}{' '}
              {after === undefined ? (
                <span class="dim">{t.removed}</span>
              ) : (
                <ins>
                  <code>{printed(after)}</code>
                </ins>
              )}
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

const maxPrinted = 400;
/** What is longer takes several lines, and begins at the left as a text does. */
const maxLine = 24;

function lookOf(value: unknown): string {
  return printed(value).length > maxLine ? 'long' : 'num';
}

/** A value in a line. */
function printed(value: unknown): string {
  const text = typeof value === 'string' ? value : (JSON.stringify(value) ?? '');
  return text.length > maxPrinted ? `${text.slice(0, maxPrinted)}…` : text;
}
