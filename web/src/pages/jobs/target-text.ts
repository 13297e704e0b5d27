import type { DeliveryView, FireView, JobView } from '#src/protocol/views.ts';
import { visible } from '../../parts/visible.ts';
import { t } from './words.ts';

type Target = JobView['deliver'][number];

export function targetText(target: Target): string {
  switch (target.kind) {
    case 'console':
      return t.toConsole;
    case 'file':
      return t.toFile(visible(target.path));
    case 'session':
      return t.toSession(visible(target.session));
    case 'webhook':
      return t.toWebhook(visible(target.url).replace(/^https?:\/\//, ''));
  }
}

/** The newest delivery to a target, if slots are on record that had one. */
export function newestDelivery(target: Target, slots: readonly FireView[]): DeliveryView | null {
  const same = JSON.stringify(target);
  for (const { deliveries } of slots)
    for (const delivery of deliveries) if (JSON.stringify(delivery.target) === same) return delivery;
  return null;
}

/** What is wrong with a delivery, in words; null for one that arrived or is at its first attempt. */
export function troubleOf(delivery: DeliveryView | null): string | null {
  if (delivery === null || delivery.error === null) return null;
  if (delivery.status === 'dead') return t.refused(delivery.attempts);
  return delivery.status === 'pending' ? t.retried(delivery.attempts) : null;
}
