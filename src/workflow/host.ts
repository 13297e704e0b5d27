/** How runs of workflows begin, and what comes to them from outside. */
export { workflowCreation } from './host/create-run.ts';
export { eventsFrom } from './host/outside-events.ts';
export type { ServiceStart, WorkflowStart } from './host/workflow-parts.ts';
