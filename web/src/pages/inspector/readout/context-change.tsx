import type { ContextChanges } from '#src/protocol/views.ts';
import type { Inspected } from '../../../data/inspected.ts';
import { t } from './words.ts';

/** The context of the machine: what the transition changed, then what stayed. */
export function ContextChange({ run }: { run: Inspected }) {
  const { transition, seq } = run;
  const context = run.contextAt(seq.value);
  const changes = transition.value?.changes ?? {};
  const changed = new Set(Object.keys(changes).map((path) => path.replace(/(?<!\\)\..*$/, '')));
  const rest = Object.entries(context ?? {}).filter(([key]) => !changed.has(key));
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
          <Changes changes={changes} />
          {rest.length > 0 && (
            <details>
              <summary>{t.unchanged(rest.length)}</summary>
              <table class="ctx">
                <tbody>
                  {rest.map(([key, value]) => (
                    <tr key={key} class="same">
                      <th scope="row">
                        <code>{key}</code>
                      </th>
                      <td class="num">
                        <code>{printed(value)}</code>
                      </td>
                    </tr>
                  ))}
                </tbody>
              </table>
            </details>
          )}
        </>
      )}
    </section>
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
            <td class="num">
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

/** A value in a line. */
function printed(value: unknown): string {
  const text = typeof value === 'string' ? value : (JSON.stringify(value) ?? '');
  return text.length > maxPrinted ? `${text.slice(0, maxPrinted)}…` : text;
}
