import type { RunTrace } from '#src/protocol/views.ts';
import { pathsAt, wayAt } from '../../../data/run-trace.ts';
import { Shape } from '../../../parts/shape.tsx';
import { keyIn } from '../../../parts/states.ts';
import { t } from './words.ts';

/** The guards that the machine asked, in their order: those that held led to where it went. */
export function Guards({ trace, seq }: { trace: RunTrace; seq: number }) {
  const guards = wayAt(trace, seq)?.guards ?? [];
  const state = keyIn(trace.machine.name, pathsAt(trace, seq)[0] ?? '');
  return (
    <section>
      <div class="secthead">
        <h2>{t.why}</h2>
        <span class="dim">{t.guards}</span>
      </div>
      {guards.length === 0 ? (
        <p class="dim">{trace.machine.known ? t.noGuard : t.unknownGuards}</p>
      ) : (
        <ol class="guards">
          {guards.map(({ guard, holds }, i) => (
            <li key={i} class={holds ? 'y' : undefined} data-s={state}>
              {holds ? <Shape state="done" /> : <span />}
              <code>{guard}</code>
              <span>{holds ? t.yes : t.no}</span>
            </li>
          ))}
        </ol>
      )}
    </section>
  );
}
