import { agentMethods } from './agent.ts';
import { fileMethods } from './files.ts';
import { inspectMethods } from './inspect.ts';
import { jobMethods } from './jobs.ts';
import { knowledgeMethods } from './knowledge.ts';
import type { Method } from './method.ts';
import { peopleMethods } from './people.ts';
import { runMethods } from './runs.ts';
import { sessionMethods } from './sessions.ts';
import { trustMethods } from './trust.ts';
import { workflowMethods } from './workflows.ts';

/** All that a client can ask for, over frames and, where a method has a place there, over HTTP. */
export const methods: readonly Method[] = [
  ...agentMethods,
  ...peopleMethods,
  ...runMethods,
  ...sessionMethods,
  ...fileMethods,
  ...workflowMethods,
  ...jobMethods,
  ...knowledgeMethods,
  ...trustMethods,
  ...inspectMethods,
];
