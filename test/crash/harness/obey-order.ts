import type { JobOrder } from '../jobs/order.ts';
import type { RunOrder } from '../order.ts';
import type { WorkflowOrder } from '../workflows/order.ts';

export type Order = RunOrder | JobOrder | WorkflowOrder;

/**
 * Lives one life of a scenario. An order that kills nothing may be obeyed in any process. A process that is killed loads
 * what its own order needs: that is most of what it does.
 *
 * @returns the boundaries that were passed
 */
export async function obeyOrder(order: Order): Promise<string[]> {
  switch (order.of) {
    case 'runs':
      return (await import('../obey.ts')).obeyRunOrder(order);
    case 'jobs':
      return (await import('../jobs/obey.ts')).obeyJobOrder(order);
    case 'workflows':
      return (await import('../workflows/obey.ts')).obeyWorkflowOrder(order);
  }
}
