import { signal } from '@preact/signals';
import { kept } from '../../base/kept.ts';

/** The model of the guided demo. Only runs of it have a guide. */
export const tourModel = 'demo/tour';

/** The newest run of the demo that this tab has seen: the guide goes along to the inspector. */
export const seenTour = signal<string | null>(null);

/** Whether a person closed the guide. The demo, when it is started again, brings it back. */
export const isGuideClosed = signal(kept.get('guide') === 'closed');

export function closeGuide(isClosed = true): void {
  kept.set('guide', isClosed ? 'closed' : null);
  isGuideClosed.value = isClosed;
}
