/** A user’s chart as the engine drives it: how its runs begin, and what comes to them from outside. */
export { chartHash } from './facade/chart-hash.ts';
export { type ChartService, outputOf, servicesOf } from './facade/chart-services.ts';
export { ChartFault, plainJson } from './facade/plain-json.ts';
export { failureOf } from './facade/service-failure.ts';
export { workflowCreation } from './host/create-run.ts';
export { eventsFrom, OutsideEvents } from './host/outside-events.ts';
export type { ServiceStart, WorkflowStart } from './host/workflow-parts.ts';
export type { AgentService, AskService, ModelService } from './services.ts';
