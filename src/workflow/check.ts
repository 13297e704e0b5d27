/** What a check of a workflow finds. */
export { checkWorkflow, refuseFaulty, refuseImpure } from './check/check-workflow.ts';
export { eventSchema, payloadSchema, printed } from './check/event-schema.ts';
export type { Finding } from './check/findings.ts';
export { implementationName, nodesOf, transitionsOf } from './check/written.ts';
