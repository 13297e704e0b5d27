import { agentMethods } from '../../protocol/methods/agent.ts';
import { fileMethods } from '../../protocol/methods/files.ts';
import { inspectMethods } from '../../protocol/methods/inspect.ts';
import { jobMethods } from '../../protocol/methods/jobs.ts';
import { knowledgeMethods } from '../../protocol/methods/knowledge.ts';
import { peopleMethods } from '../../protocol/methods/people.ts';
import { runMethods } from '../../protocol/methods/runs.ts';
import { sessionMethods } from '../../protocol/methods/sessions.ts';
import { trustMethods } from '../../protocol/methods/trust.ts';
import { workflowMethods } from '../../protocol/methods/workflows.ts';
import { agentPerformers } from './agent.ts';
import { filePerformers } from './files.ts';
import { inspectPerformers } from './inspect.ts';
import { jobPerformers } from './jobs.ts';
import { knowledgePerformers } from './knowledge.ts';
import { type Method, performed } from './method.ts';
import { peoplePerformers } from './people.ts';
import { runPerformers } from './runs.ts';
import { sessionPerformers } from './sessions.ts';
import { trustPerformers } from './trust.ts';
import { workflowPerformers } from './workflows.ts';

/** All that a client can ask for, over frames and, where a method has a place there, over HTTP. */
export const methods: readonly Method[] = [
  ...performed(agentMethods, agentPerformers),
  ...performed(peopleMethods, peoplePerformers),
  ...performed(runMethods, runPerformers),
  ...performed(sessionMethods, sessionPerformers),
  ...performed(fileMethods, filePerformers),
  ...performed(workflowMethods, workflowPerformers),
  ...performed(jobMethods, jobPerformers),
  ...performed(knowledgeMethods, knowledgePerformers),
  ...performed(trustMethods, trustPerformers),
  ...performed(inspectMethods, inspectPerformers),
];
