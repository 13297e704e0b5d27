/** Every method that programs, frames, routes and clients share, and the types of what it takes and gives. */
export { agentMethods } from './methods/agent.ts';
export type {
  DayPart,
  NumberList,
  Run,
  ScheduleParts,
  SpanUnit,
  TimePart,
} from './methods/answers/schedule-parts.ts';
export { about, cursor, marks, runId, seq, word } from './methods/fields.ts';
export { fileMethods } from './methods/files.ts';
export { inspectMethods } from './methods/inspect.ts';
export {
  type JobChange,
  type JobInput,
  type JobTargetInput,
  jobChange,
  jobInput,
  type ScheduleFields,
} from './methods/job-input.ts';
export { jobMethods } from './methods/jobs.ts';
export { knowledgeMethods } from './methods/knowledge.ts';
export type { Declarations, Declared, HttpPlace } from './methods/method.ts';
export type { CheckedInput, MethodInput, MethodName, MethodOutput } from './methods/methods.ts';
export { describeNoSuchField, noSuchField } from './methods/no-such-field.ts';
export { peopleMethods } from './methods/people.ts';
export { feedEvent, runMethods, streamedEvent } from './methods/runs.ts';
export { sessionMethods } from './methods/sessions.ts';
export { trustMethods } from './methods/trust.ts';
export { userMethods } from './methods/users.ts';
export { workflowMethods } from './methods/workflows.ts';
