import type { LifeOrder } from '../harness/life.ts';

/** The work of a process of a scenario of workflows. */
export interface WorkflowOrder extends LifeOrder {
  of: 'workflows';
  /** The name of the scenario. */
  scenario: string;
  /** Where the pages of the scenario are. */
  site: string;
  /** The process decides nothing, and kills itself as soon as the workflow waits. */
  diesAtRest: boolean;
}

/** The key under which a scenario's workflow is started: each process that starts it makes the same run. */
export const startKey = 'crash';

/** What the services of a workflow did in the world, in `work.jsonl`. */
export interface Work {
  /** The service's name in the chart, or that of a tool. */
  name: string;
  /** Its idempotency key. */
  key: string;
  /** `done`: it took effect. */
  what: 'tried' | 'done';
}
