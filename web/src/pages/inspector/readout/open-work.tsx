import { dayAndTime } from '../../../base/format.ts';
import { href, runPath } from '../../../base/place.ts';
import type { RunMoment } from '../../../data/answers.ts';
import { childRunId } from '../../../data/inspected-run.ts';
import { visible } from '../../../parts/visible.ts';
import { t } from './words.ts';

/** Effects without a result, and timers, as they were then. */
export function OpenWork({ runId, moment }: { runId: string; moment: RunMoment | null }) {
  if (moment === null) return null;
  const { effects, timers } = moment;
  return (
    <section>
      <h2>{t.open}</h2>
      {effects.length + timers.length === 0 && <p class="dim">{t.nothingOpen}</p>}
      <ul class="open-work">
        {effects.map(({ effect, name, status, callId, tool, service }) => (
          <li key={effect}>
            {service !== undefined && name === 'effect.run' ? (
              <a class="link mono" href={href(runPath(childRunId(runId, effect)))}>
                {visible(service)}
              </a>
            ) : (
              <code>{visible(service ?? `${callId ?? effect} ${tool ?? name}`)}</code>
            )}
            <span class="dim">{t.effectStatus(status)}</span>
          </li>
        ))}
        {timers.map(({ event, dueAt, label }) => (
          <li key={event}>
            <code>{visible(label ?? event)}</code>
            <span class="dim">{dayAndTime(dueAt)}</span>
          </li>
        ))}
      </ul>
    </section>
  );
}
