/** Requests as they come: prompts, attachments, tenants, chosen models. */
export { type NamedBytes, readFiles } from './requests/attachment-bytes.ts';
export { attach } from './requests/attachments.ts';
export { checkPrompt, maxPromptBytesOf } from './requests/check-prompt.ts';
export { isTenantName, unknownTenant } from './requests/check-tenant.ts';
export { chosenModel, endpointOf, modelOf } from './requests/chosen-models.ts';
export type { ForkOptions } from './requests/fork-request.ts';
export { runIdOf } from './requests/keyed-run.ts';
export { requestDigest } from './requests/request-digest.ts';
export { checkRequest, resolveFor } from './requests/run-request.ts';
export { startRun, withInvokedSkill } from './requests/start-run.ts';
export { startServiceBy } from './requests/start-service.ts';
export { fitted, startChart, startWorkflow } from './requests/start-workflow.ts';
export { type SubRunPlanner, subRunRequest } from './requests/sub-run-request.ts';
export type { Upload, UploadRequest } from './requests/uploads.ts';
