import type { TracedTransition } from '#src/protocol/views.ts';
import { t } from './words.ts';

interface EventPaneProps {
  transition: TracedTransition;
  /** What to say of one whose long texts were shortened. */
  whenCut: string;
}

/** The event as it was logged. */
export function EventPane({ transition, whenCut }: EventPaneProps) {
  return (
    <section>
      <details>
        <summary>
          <h2>{t.event}</h2>
        </summary>
        <pre class="raw">{JSON.stringify(transition.event, null, 2)}</pre>
        {transition.isCut && <p class="dim">{whenCut}</p>}
      </details>
    </section>
  );
}
