import '../readout/readout.css';
import type { InspectedActor } from '../../../data/inspected-actor.ts';
import { ContextChange } from '../readout/context-change.tsx';
import { EventPane } from '../readout/event-pane.tsx';
import { Step } from '../readout/step.tsx';
import { t as page } from '../words.ts';
import { t } from './words.ts';

/** What the chosen transition was and what it changed, as far as the messages of XState tell it. */
export function ActorReadout({ actor }: { actor: InspectedActor }) {
  const now = actor.transition.value;
  const forgotten = actor.forgotten.value;
  return (
    <aside class="read" aria-label={page.readout}>
      <section>
        <Step run={actor} />
        <p class="dim">{now ? t.concluded : t.nothingYet}</p>
        {forgotten > 0 && <p class="dim">{t.forgotten(forgotten)}</p>}
      </section>
      <ContextChange run={actor} />
      {now && <EventPane transition={now} whenCut={t.cut} />}
    </aside>
  );
}
