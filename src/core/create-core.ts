import { defaultAgent, someProgram, defaultTenant as tenant } from '../protocol/access.ts';
import { checkLimits } from '../protocol/enums.ts';
import { DetentError } from '../protocol/error.ts';
import type { OutputSchema } from '../protocol/ports.ts';
import { refuseUnheard } from '../runs/rows.ts';
import {
  createRunHandles,
  type DetentRuns,
  type DetentWorkflows,
  type RunHandle,
  type RunHandles,
} from '../runtime/api.ts';
import type { Inherited } from '../runtime/config.ts';
import { checkPrompt, requestDigest, runIdOf, withInvokedSkill } from '../runtime/requests.ts';
import { type CoreDecorators, type CoreParts, composeCore, resolved } from './compose/compose-core.ts';
import {
  type CoreOptions,
  type CoreRequest,
  type CoreSessions,
  checkCoreOptions,
  checkCoreRequest,
} from './options.ts';

type RunVerbs =
  | 'show'
  | 'confirm'
  | 'reconcile'
  | 'cancel'
  | 'steer'
  | 'attach'
  | 'allowed'
  | 'resume'
  | 'rested';

/** Runs agents inside an app. The verbs are those of a Detent, for one tenant. */
export interface Core {
  /** Starts a run. If it cannot start, `started` and `result` reject. */
  run(prompt: string, request?: CoreRequest): RunHandle;
  readonly runs: Pick<DetentRuns, RunVerbs>;
  /** Null without `conversations`. */
  readonly sessions: CoreSessions | null;
  /** Null without `workflows`. */
  readonly workflows: DetentWorkflows | null;
  /** Calls `listener` for every signal of one run. Returns the unsubscribe function. */
  on(runId: string, listener: Parameters<RunHandles['on']>[1]): () => void;
  /** Stops driving runs and closes the database. Unfinished runs stay as they are: the next start resumes them. */
  close(): Promise<void>;
}

/**
 * Creates a core in an app, and opens its database at once. Call `runs.resume()` after the start of the app: it continues the runs that
 * an earlier process left.
 *
 * @throws DetentError `INVALID_CONFIG`, `DUPLICATE_TOOL`, `INVALID_SKILL`, `DATABASE_NEWER`, `DATABASE_FOREIGN`, and what the database throws.
 * @example
 * ```ts
 * const core = createCore({ host: { storage }, models: { shop: createOpenAIChat({ baseURL, apiKey }) }, model: 'shop/gpt-5-mini' });
 * await core.runs.resume();
 * const { text } = await core.run('Which of these fits a small kitchen?').result;
 * ```
 */
export function createCore(options: CoreOptions): Core {
  return assembleCore(options).core;
}

/**
 * {@link createCore}, with its parts and with test hooks between the engine and its surroundings.
 *
 * @internal
 */
export function assembleCore(
  options: CoreOptions,
  decorate: CoreDecorators = {},
): { core: Core; parts: CoreParts } {
  checkCoreOptions(options);
  checkLimits(options.limits, 'createCore');
  const { host, actor = someProgram, agents = {} } = options;
  if (host.random) withRandomBytes(host.random);
  const parts = composeCore(options, decorate);
  const { runs } = parts;
  let closing: Promise<void> | null = null;
  const opened = async () => {
    if (closing) throw new DetentError('CLOSED', 'this core was closed; create a new one');
    return parts;
  };
  const steer = async (
    _tenant: number,
    runId: string,
    message: string,
    extra: Parameters<DetentRuns['steer']>[3] = {},
  ) => {
    checkPrompt(message, options.limits);
    refuseUnheard(await runs.row(tenant, runId));
    const said = { key: extra.idempotencyKey, by: extra.by ?? actor };
    const { kind } = await runs.message(tenant, runId, message, undefined, said);
    if (kind !== 'moved')
      throw new DetentError('RUN_ENDED', `run ${runId} has ended; start a new one in its session`);
  };
  const handles = createRunHandles(opened, { actor, ...(host.report && { onError: host.report }) }, steer);
  const outputOf = ({ output, agent = defaultAgent }: CoreRequest) =>
    output ??
    (Object.hasOwn(agents, agent) ? (agents[agent]?.output as OutputSchema | undefined) : undefined);
  const core: Core = {
    run(prompt, request = {}) {
      const runId = runIdOf(request);
      const started = opened().then(() => startRun(parts, options, { prompt, request, runId }));
      return handles.handle(tenant, runId, started, outputOf(request));
    },
    runs: {
      show: async (runId) => (await opened()).runs.view(tenant, runId),
      allowed: async (runId, _tenant, by) => (await opened()).runs.allowed(tenant, runId, by),
      confirm: async (runId, call, decision, _tenant, { idempotencyKey: key } = {}) =>
        (await opened()).runs.confirm(tenant, runId, call, decision, { key }),
      reconcile: async (runId, call, decision, _tenant, { idempotencyKey: key } = {}) =>
        (await opened()).runs.reconcile(tenant, runId, call, decision, { key }),
      cancel: async (runId, reason, _tenant, { by = actor } = {}) =>
        (await opened()).runs.cancel(tenant, runId, reason, by),
      steer: (runId, message, _tenant, extra) => steer(tenant, runId, message, extra),
      attach: (runId) =>
        handles.handle(
          tenant,
          runId,
          opened().then(async () => (await runs.row(tenant, runId)).id),
        ),
      resume: async (scope) => (await opened()).runs.resume(tenant, scope),
      rested: async () => (await opened()).runs.rested(),
    },
    sessions: options.conversations?.open(opened, handles.stoppable) ?? null,
    workflows:
      options.workflows?.open({
        ...{ options, parts, handles, opened },
        calls: parts.calls,
        run: (prompt, request, runId, inherited) =>
          startRun(parts, options, { prompt, request, runId, inherited }),
      }) ?? null,
    on: (runId, listener) => handles.on(runId, listener),
    close() {
      handles.stop();
      closing ??= parts.close();
      return closing;
    },
  };
  return { core, parts };
}

/** Ids are made where no host is at hand, so the bytes come from where every other program looks for them. */
function withRandomBytes(random: (bytes: Uint8Array) => void): void {
  const getRandomValues = (bytes: Uint8Array) => {
    random(bytes);
    return bytes;
  };
  if (globalThis.crypto === undefined) Object.assign(globalThis, { crypto: { getRandomValues } });
}

async function startRun(
  { runs, models, outputs, skills, toolbox, declareBudget }: CoreParts,
  options: CoreOptions,
  asking: { prompt: string; request: CoreRequest; runId: string; inherited?: Inherited },
): Promise<string> {
  const { prompt, request, runId, inherited } = asking;
  // A workflow makes its own requests.
  if (!inherited) checkCoreRequest(request);
  const { start, limits } = resolved(options, models, request);
  checkPrompt(prompt, limits);
  const { clientTools = [] } = request;
  const specs = options.conversations?.specsOf(clientTools, toolbox) ?? [];
  if (specs.length < clientTools.length)
    throw new DetentError(
      'INVALID_REQUEST',
      'clientTools need createCore({ conversations }): see docs/core.md',
    );
  const isKeyed = request.idempotencyKey !== undefined;
  const { budget, principal } = start.options;
  if (budget) await declareBudget(tenant, budget, principal.userId);
  const asked = {
    ...start,
    runId,
    prompt,
    options: {
      ...start.options,
      ...inherited,
      ...(isKeyed && { requestDigest: requestDigest(prompt, request) }),
      ...(specs.length > 0 && { clientTools: specs }),
      workspace: '',
    },
  };
  const forget = request.output ? outputs.keep(runId, request.output) : () => {};
  try {
    // A chart wrote the prompt of its run, out of data that must not name a skill.
    const takenBy = await runs.start(inherited ? asked : await withInvokedSkill(skills, prompt, asked));
    if (takenBy !== runId) forget();
    return takenBy;
  } catch (error) {
    forget();
    throw error;
  }
}
