import type { Input } from '../../client/index.ts';
import type { Detent, RunHandle, RunRequest, WorkflowAnswer, WorkflowRequest } from '../../index.ts';
import type { DetentError } from '../../protocol/error.ts';
import { unfinishedStatuses } from '../../protocol/run-statuses.ts';
import type { RunStatus } from '../../protocol/run-view.ts';
import { usage } from '../settings/flags.ts';
import type { ServerPlace } from '../settings/server.ts';
import { type GatewayLink, openLink } from './gateway-link.ts';
import { partly } from './partly.ts';
import {
  confirmRemotely,
  remoteHandle,
  remoteLog,
  remoteSignals,
  sentAttachments,
  viewOf,
} from './remote-run.ts';

/** The gateway lists no more at once. */
const maxListed = 1_000;

/**
 * The part of a Detent that the commands need, performed by a gateway.
 *
 * @param report gets told when the connection is lost for now.
 */
export function remoteDetent(server: ServerPlace, report: (error: DetentError) => void): Detent {
  const link = openLink(server, report);
  const attach = (runId: string) => remoteHandle(link, server.flags, Promise.resolve(runId));

  return partly<Detent>({
    run<Output>(prompt: string, request: RunRequest = {}): RunHandle<Output> {
      const begun = (async () => {
        const files = await sentAttachments(link, request);
        const input = { prompt, ...sentRequest(request), ...files };
        return (await link.request('agent.run', input)).runId;
      })();
      return remoteHandle<Output>(link, server.flags, begun, { isNew: request.mode !== 'steer' });
    },
    runs: partly<Detent['runs']>({
      async list({ session, limit = 100, status, since } = {}) {
        const input = { ...listed({ limit, status, since }), sessionId: session };
        return (await link.request('run.list', input)).runs;
      },
      find: async (word) => (await link.request('run.find', { word })).runId,
      show: async (runId) => viewOf(await link.request('run.get', { runId })),
      confirm: (runId, call, decision) => confirmRemotely(link, runId, call, decision),
      reconcile: (runId, callId, decision) => link.request('run.reconcile', { runId, callId, ...decision }),
      cancel: async (runId, reason) => (await link.request('agent.cancel', { runId, reason })).cancelled,
      attach,
      async resume(scope) {
        if (scope === undefined)
          throw usage('a gateway resumes all runs by itself: name a RUN instead of --all');
        const first =
          'runId' in scope
            ? scope.runId
            : (
                await link.request('run.list', {
                  sessionId: scope.session,
                  status: [...unfinishedStatuses],
                  limit: maxListed,
                })
              ).runs.at(-1)?.runId;
        return first === undefined ? [] : (await link.request('run.resume', { runId: first })).runs;
      },
      events: async (runId) => Array.fromAsync(remoteLog(link, runId)),
      why: (runId) => link.request('run.why', { runId }),
      fork: (runId, { at, editMessage, model, approve }) =>
        link.request('run.fork', { runId, at, editMessage, model, approve }),
      diff: (a, b) => link.request('run.diff', { runId: a, otherRunId: b }),
    }),
    workflows: partly<Detent['workflows']>(remoteWorkflows(link, server)),
    sessions: partly<Detent['sessions']>(remoteSessions(link)),
    memory: partly<Detent['memory']>({
      search: (query, { limit } = {}) => link.request('memory.search', { query: [...query], limit }),
      get: (path, { line, limit } = {}) => link.request('memory.get', { path, line, limit }),
    }),
    tools: partly<Detent['tools']>({
      list: async () => (await link.request('tool.list', {})).tools,
      describe: async () => (await link.request('tool.list', {})).tools,
    }),
    skills: partly<Detent['skills']>(remoteSkills(link)),
    on(runId, listener) {
      let isWanted = true;
      const tell = async () => {
        for await (const signal of remoteSignals(link, runId)) {
          if (!isWanted) return;
          listener(signal);
        }
      };
      // Whoever waits for the run hears of the error.
      tell().catch(() => {});
      return () => {
        isWanted = false;
      };
    },
    close: async () => link.close(),
  });
}

function remoteWorkflows(link: GatewayLink, server: ServerPlace): Partial<Detent['workflows']> {
  const send: Detent['workflows']['send'] = async (runId, event, { idempotencyKey } = {}) =>
    (await link.request('workflow.send', { runId, event: { ...event }, idempotencyKey })).taken;
  const answer: Detent['workflows']['answer'] = (runId, invocation, answer, { idempotencyKey } = {}) =>
    link.request('workflow.answer', { runId, invocation, answer, idempotencyKey });
  return {
    // A gateway drives each run itself, so it is also the other process that a run is left to.
    start(workflow: string | { id: string }, input: unknown = null, request: WorkflowRequest = {}) {
      const id = typeof workflow === 'string' ? workflow : workflow.id;
      const asked = { workflow: id, input, idempotencyKey: request.idempotencyKey };
      const begun = link.request('workflow.start', asked).then(({ runId }) => runId);
      return Object.assign(remoteHandle(link, server.flags, begun, { isNew: true }), {
        send: async (event: never, options = {}) => send(await begun, event, options),
        answer: async (invocation: string, given: WorkflowAnswer, options = {}) =>
          answer(await begun, invocation, given, options),
      }) as never;
    },
    send,
    answer,
    list: async () => (await link.request('workflow.list', {})).workflows,
    get: (workflow) => link.request('workflow.get', { workflow }),
  };
}

function remoteSessions(link: GatewayLink): Partial<Detent['sessions']> {
  return {
    async list({ limit = 100, status, since } = {}) {
      return (await link.request('session.list', listed({ limit, status, since }))).sessions;
    },
    show: (sessionId) => link.request('session.get', { sessionId }),
    async newest() {
      const { runId } = await link.request('run.find', { word: 'last' });
      return (await link.request('run.get', { runId })).sessionId;
    },
    // The token says for whom runs are.
    ownerOf: async () => ({ userId: null }),
    async continuing(session, request = {}) {
      const { runs } = await link.request('run.list', { sessionId: session, limit: 1 });
      const [last] = runs;
      if (!last) return { ...request, session };
      const { agent = last.agent } = request;
      // Only who administrates may name a model; else the gateway's own choice for the agent counts.
      const isModelKept = agent === last.agent && link.scopes.includes('admin');
      return { ...(isModelKept && { model: last.model }), ...request, agent, session };
    },
    async search(query, { limit, userId } = {}) {
      if (userId !== undefined)
        throw usage('a gateway knows the user by the token: --user and --server exclude each other');
      return link.request('session.search', { query: [...query], limit });
    },
    clear: (sessionId, { force = false } = {}) => link.request('session.clear', { sessionId, force }),
    delete: (sessionId, { force = false } = {}) => link.request('session.delete', { sessionId, force }),
    grants: async (sessionId) => (await link.request('grant.list', { sessionId })).grants,
    async revokeGrant(sessionId, grant) {
      await link.request('grant.revoke', { sessionId, grant });
    },
  };
}

function remoteSkills(link: GatewayLink): Partial<Detent['skills']> {
  const list: Detent['skills']['list'] = async () => {
    const { folders = [], ...skills } = (await link.request('skill.list', {})).skills;
    return { ...skills, folders };
  };
  return {
    list,
    async why(input) {
      const [, word] = /^\/(\S+)/.exec(input) ?? [];
      const { skills } = await list();
      const named = skills.find(({ name, off, forPeople }) => name === word && off === null && forPeople);
      return { input, named: named?.name ?? null, offered: skills.length, mode: 'listed', scores: [] };
    },
  };
}

/** What lists of a gateway take. */
function listed({
  limit,
  status,
  since,
}: {
  limit: number;
  status: readonly RunStatus[] | undefined;
  since: number | undefined;
}) {
  return { limit: Math.min(limit, maxListed), status: status && [...status], since };
}

/** The fields of a request that a client may send, named as in {@link RunRequest}. */
const sentFields = [
  'after',
  'mode',
  'agent',
  'tools',
  'skills',
  'approve',
  'output',
  'cache',
  'stream',
  'system',
  'model',
  'limits',
  'budget',
  'metadata',
] as const;

function sentRequest(request: RunRequest): Omit<Input<'agent.run'>, 'prompt'> {
  const { session, limits = {} } = request;
  const fields = sentFields
    .filter((name) => name !== 'limits' || Object.keys(limits).length > 0)
    .map((name) => [name, request[name]] as const);
  const sent = [['sessionId', session] as const, ...fields].filter(([, value]) => value !== undefined);
  return Object.fromEntries(sent);
}
