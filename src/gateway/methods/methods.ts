import {
  agentMethods,
  fileMethods,
  inspectMethods,
  jobMethods,
  knowledgeMethods,
  peopleMethods,
  runMethods,
  sessionMethods,
  trustMethods,
  userMethods,
  workflowMethods,
} from '../../protocol/methods.ts';
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
import { userPerformers } from './users.ts';
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
  ...performed(userMethods, userPerformers),
  ...performed(inspectMethods, inspectPerformers),
];
