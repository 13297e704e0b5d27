import type * as z from 'zod/mini';
import type { agentMethods } from './agent.ts';
import type { fileMethods } from './files.ts';
import type { inspectMethods } from './inspect.ts';
import type { jobMethods } from './jobs.ts';
import type { knowledgeMethods } from './knowledge.ts';
import type { peopleMethods } from './people.ts';
import type { runMethods } from './runs.ts';
import type { sessionMethods } from './sessions.ts';
import type { trustMethods } from './trust.ts';
import type { userMethods } from './users.ts';
import type { workflowMethods } from './workflows.ts';

type Agent = typeof agentMethods;
type File = typeof fileMethods;
type Inspect = typeof inspectMethods;
type Job = typeof jobMethods;
type Knowledge = typeof knowledgeMethods;
type People = typeof peopleMethods;
type Run = typeof runMethods;
type Session = typeof sessionMethods;
type Trust = typeof trustMethods;
type User = typeof userMethods;
type Workflow = typeof workflowMethods;

/** What is said of each method of the gateway, by its name: types alone, so that a client loads none of the schemas. */
interface Methods extends Agent, People, Run, Session, File, Workflow, Job, Knowledge, Trust, User, Inspect {}

export type MethodName = keyof Methods;

/** What a client sends. */
export type MethodInput<M extends MethodName> = z.input<Methods[M]['input']>;

/** What a method is performed with: the input with its defaults. */
export type CheckedInput<M extends MethodName> = z.output<Methods[M]['input']>;

/** What it gets. */
export type MethodOutput<M extends MethodName> = z.output<Methods[M]['output']>;
