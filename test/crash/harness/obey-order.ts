import { obeyJobOrder } from '../jobs/obey.ts';
import type { JobOrder } from '../jobs/order.ts';
import { obeyRunOrder } from '../obey.ts';
import type { RunOrder } from '../order.ts';
import { obeyWorkflowOrder } from '../workflows/obey.ts';
import type { WorkflowOrder } from '../workflows/order.ts';

export type Order = RunOrder | JobOrder | WorkflowOrder;

/**
 * Lives one life of a scenario. An order that kills nothing may be obeyed in any process.
 *
 * @returns the boundaries that were passed
 */
export function obeyOrder(order: Order): Promise<string[]> {
  switch (order.of) {
    case 'runs':
      return obeyRunOrder(order);
    case 'jobs':
      return obeyJobOrder(order);
    case 'workflows':
      return obeyWorkflowOrder(order);
  }
}
