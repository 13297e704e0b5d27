import type { Detent, RunView } from '../index.ts';
import { defaultTenant, scopes } from '../protocol/access.ts';
import type { CheckedInput, MethodName, MethodOutput } from '../protocol/methods.ts';
import type { Scheduler } from '../schedule/api.ts';
import { Listed } from './documents/listed.ts';
import type { Call, Method } from './methods/method.ts';

const agent = async () => (await import('./methods/agent.ts')).agentPerformers;
const jobs = async () => (await import('./methods/jobs.ts')).jobPerformers;
const knowledge = async () => (await import('./methods/knowledge.ts')).knowledgePerformers;
const people = async () => (await import('./methods/people.ts')).peoplePerformers;
const runs = async () => (await import('./methods/runs.ts')).runPerformers;
const sessions = async () => (await import('./methods/sessions.ts')).sessionPerformers;
const users = async () => (await import('./methods/users.ts')).userPerformers;
const workflows = async () => (await import('./methods/workflows.ts')).workflowPerformers;

/** The modules of the methods that commands call, by the word before the dot. Each is loaded when it is first needed. */
const subjects = {
  agent: [agent],
  cron: [jobs],
  grant: [people],
  machine: [knowledge],
  memory: [knowledge],
  run: [runs, people],
  session: [sessions, users],
  skill: [knowledge],
  tool: [knowledge, agent],
  users: [users],
  workflow: [workflows],
} satisfies Readonly<Record<string, readonly (() => Promise<object>)[]>>;

type Subject = keyof typeof subjects;

export type LocalMethod = Extract<MethodName, `${Subject}.${string}`>;

/** The tenant and user of a command. Default: tenant 1, and no user in particular. */
export interface LocalCaller {
  tenantId?: number;
  userId?: string | null | undefined;
  /** Needed for the jobs. */
  scheduler?: Scheduler;
}

/**
 * Performs the methods of a gateway on a Detent of this process, for the person at the machine. Their input is not checked: the
 * commands make it themselves.
 */
export function localMethods(
  detent: Detent,
  { tenantId = defaultTenant, userId = null, scheduler }: LocalCaller,
): <M extends LocalMethod>(method: M, input: CheckedInput<M>) => Promise<MethodOutput<M>> {
  const { signal } = new AbortController();
  const own: Partial<Call> = {
    detent,
    ...(scheduler && { scheduler }),
    caller: { tenantId, userId, scopes },
    isLocal: true,
    watching: null,
    waiting: (wait) => wait(signal),
    waitedFor: (_, wait) => wait(),
    refuseNewRuns() {},
    runs: { take: () => ({ keep() {}, release() {} }), make: async (make) => make().started },
  };
  // Without a connection, no method of these subjects needs the parts that only a gateway has.
  const call = own as Call;
  const ask = async (method: LocalMethod, input: Record<string, unknown>) => {
    const perform = await performerOf(method);
    const { idempotencyKey: key } = input;
    const given = await perform(typeof key === 'string' ? { ...call, requestId: key } : call, input);
    return given instanceof Listed ? given.page() : given;
  };
  return <M extends LocalMethod>(method: M, input: CheckedInput<M>) =>
    ask(method, input) as Promise<MethodOutput<M>>;
}

/** A run as a gateway shows it to its operator: its errors have their reasons. */
export async function withReasons<V extends RunView>(view: V): Promise<V> {
  const [{ valueFor }, { runMethods }] = await Promise.all([
    import('./access/client-answers.ts'),
    import('../protocol/methods.ts'),
  ]);
  return valueFor('operator', runMethods['run.get'].output, view, '') as V;
}

async function performerOf(method: LocalMethod): Promise<Method['perform']> {
  const [subject] = method.split('.') as [Subject];
  for (const load of subjects[subject]) {
    const performers = (await load()) as Partial<Record<string, Method['perform'] | Pick<Method, 'perform'>>>;
    const found = performers[method];
    if (found) return typeof found === 'function' ? found : found.perform;
  }
  throw new Error(`nothing performs ${method} here`);
}

export { defaultLimits } from './gateway-options.ts';
export { isPageBuilt } from './page/page-files.ts';
