export * from '../../src/core/index.ts';
export { createWorkflowHost } from '../../src/workflow/workflow.ts';
