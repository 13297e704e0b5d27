import type { RunSignal } from '../engine/bus.ts';
import type { Followed } from '../engine/follow.ts';
import type { LimitsConfig } from '../protocol/config.ts';
import { DetentError } from '../protocol/error.ts';
import { randomId } from '../protocol/ids.ts';
import type { RunOptions } from '../records/run-options.ts';
import type { Detent, RunHandle } from './api/detent.ts';
import { historyApi } from './api/history.ts';
import { memoryApi } from './api/memory.ts';
import { sessionsApi } from './api/sessions.ts';
import type { Decorators } from './compose.ts';
import type { DetentOptions, RunRequest } from './config/options.ts';
import type { Core } from './core.ts';

const defaultTenant = 1;

/**
 * Makes a Detent: agent runs as durable statecharts.
 *
 * Nothing is opened before the first use, and no provider is loaded before its first call.
 *
 * @example
 * ```ts
 * const detent = createDetent({ model: 'openai/gpt-5-mini' });
 * const run = detent.run('What is 17 * 23?');
 * for await (const signal of run.events) if (signal.type === 'delta') show(signal.delta);
 * const { text, status } = await run.result;
 * await detent.close();
 * ```
 */
export function createDetent(options: DetentOptions = {}): Detent {
  return assemble(options);
}

/** {@link createDetent} with something between the engine and the world, for tests of the engine itself. */
export function assemble(options: DetentOptions, decorate?: Decorators): Detent {
  let opening: Promise<Core> | null = null;
  let closing: Promise<void> | null = null;
  const stops = new Set<() => void>();

  const core = (): Promise<Core> => {
    if (closing) return Promise.reject(new DetentError('CLOSED', 'this Detent was closed; create a new one'));
    opening ??= open();
    return opening;
  };

  const open = (): Promise<Core> => {
    const opened = import('./compose.ts').then(({ compose }) => compose(options, decorate));
    // What keeps it from opening, another process for one, may pass.
    opened.catch(() => {
      opening = null;
    });
    return opened;
  };

  /** A listener that throws is its owner's trouble, never the engine's. */
  const guarded = (listener: (signal: RunSignal) => void) => (signal: RunSignal) => {
    try {
      listener(signal);
    } catch (error) {
      (options.onError ?? console.error)(error, signal.runId);
    }
  };

  const on = (runId: string, listener: (signal: RunSignal) => void) => {
    let stop = () => {};
    let wanted = true;
    core().then(
      ({ bus }) => {
        if (wanted) stop = bus.listen(runId, guarded(listener));
      },
      () => {},
    );
    const leave = () => {
      wanted = false;
      stop();
      stops.delete(leave);
    };
    stops.add(leave);
    return leave;
  };

  const handle = (tenant: number, runId: string, started: Promise<string>): RunHandle => {
    // Whoever does not ask for `started` must not crash by its failure.
    started.catch(() => {});
    let id = runId;
    const known = started.then((actual) => {
      id = actual;
      return actual;
    });
    known.catch(() => {});
    return {
      get runId() {
        return id;
      },
      started,
      get events() {
        return signalsOf(tenant, runId, known);
      },
      get result() {
        return known.then(async (actual) => (await core()).runs.settled(tenant, actual));
      },
      cancel: async (reason) => (await core()).runs.cancel(tenant, await known, reason),
      steer: async (message, extra) => void (await steer(await known, message, tenant, extra)),
      confirm: async (call, decision) => (await core()).runs.confirm(tenant, await known, call, decision),
    };
  };

  /** Listens before the run exists, so that nothing of it is lost; to the run that took the prompt, if it is another. */
  const signalsOf = (tenant: number, asked: string, known: Promise<string>): AsyncIterable<RunSignal> => {
    const listen = async () => {
      const { follow } = await core();
      const own = (runId: string) => stoppable(follow(tenant, runId));
      const first = own(asked);
      try {
        if ((await known) === asked) return first;
      } catch (error) {
        first.leave();
        throw error;
      }
      first.leave();
      return own(await known);
    };
    const signals = listen();
    signals.catch(() => {});
    return {
      async *[Symbol.asyncIterator]() {
        const { followed, leave } = await signals;
        try {
          yield* followed;
        } finally {
          leave();
        }
      },
    };
  };

  /** Ends with this Detent, if nobody ends it before. */
  const stoppable = (followed: Followed) => {
    stops.add(followed.stop);
    const leave = () => {
      stops.delete(followed.stop);
      followed.stop();
    };
    return { followed, leave };
  };

  const shut = async () => {
    for (const stop of [...stops]) stop();
    await opening?.then(
      (opened) => opened.close(),
      () => {},
    );
  };

  /** A message and what goes with it, read and found fit for the model that is to see it. */
  const attached = async (
    prompt: string,
    { attachments = [] }: Pick<RunRequest, 'attachments'>,
    run: Pick<RunOptions, 'model' | 'fallbacks' | 'endpoint'>,
    limits: LimitsConfig | undefined,
  ) => {
    if (attachments.length === 0) return { prompt };
    const { models, workspace } = await core();
    const { attach, checkAccepted } = await import('./requests/attachments.ts');
    const { mostPromptBytes } = await import('./requests/run-request.ts');
    const { text, parts } = await attach(prompt, attachments, {
      workspace,
      maxPromptBytes: mostPromptBytes(limits),
    });
    await checkAccepted(parts, models, run);
    return { prompt: text, parts };
  };

  const skills = async () => (await import('./api/skills.ts')).skillsApi((await core()).skills);

  const steer = async (
    runId: string,
    message: string,
    tenant: number,
    extra: Pick<RunRequest, 'attachments'> = {},
  ) => {
    const { runs } = await core();
    const { checkPrompt } = await import('./requests/run-request.ts');
    checkPrompt(message, options.limits);
    const { options: made } = extra.attachments?.length ? await runs.row(tenant, runId) : { options: '{}' };
    const { prompt, parts } = await attached(message, extra, JSON.parse(made) as RunOptions, options.limits);
    const { kind } = await runs.message(tenant, runId, prompt, parts);
    if (kind !== 'moved')
      throw new DetentError('RUN_ENDED', `run ${runId} has ended; start a new one in its session`);
  };

  return {
    run(prompt, request = {}) {
      const runId = randomId('run');
      const tenant = request.principal?.tenantId ?? defaultTenant;
      const start = async () => {
        const { limitsOf, startRequest } = await import('./requests/run-request.ts');
        const { checkModels } = await import('./requests/check-models.ts');
        const resolved = startRequest(prompt, request, options, runId);
        const { withInvokedSkill } = await import('./requests/invoke-skill.ts');
        const { runs, models, skills, workspace, declareBudget } = await core();
        await checkModels(models, resolved.options, limitsOf(request, options), options);
        const said = await attached(prompt, request, resolved.options, limitsOf(request, options));
        const { budget } = resolved.options;
        if (budget) await declareBudget(resolved.tenant, budget);
        const asked = { ...resolved, ...said, options: { ...resolved.options, workspace } };
        return runs.start(await withInvokedSkill(skills, prompt, asked));
      };
      return handle(tenant, runId, start());
    },
    runs: {
      list: async ({ tenantId = defaultTenant, session, limit = 100 } = {}) =>
        (await core()).runs.list(tenantId, session, limit),
      show: async (runId, tenantId = defaultTenant) => (await core()).runs.view(tenantId, runId),
      allowed: async (runId, tenantId = defaultTenant) => (await core()).runs.allowed(tenantId, runId),
      confirm: async (runId, call, decision, tenantId = defaultTenant) =>
        (await core()).runs.confirm(tenantId, runId, call, decision),
      reconcile: async (runId, call, decision, tenantId = defaultTenant) =>
        (await core()).runs.reconcile(tenantId, runId, call, decision),
      cancel: async (runId, reason, tenantId = defaultTenant) =>
        (await core()).runs.cancel(tenantId, runId, reason),
      steer: async (runId, message, tenantId = defaultTenant, extra) =>
        steer(runId, message, tenantId, extra),
      attach: (runId, tenantId = defaultTenant) =>
        handle(
          tenantId,
          runId,
          core().then(async ({ runs }) => (await runs.row(tenantId, runId)).id),
        ),
      ...historyApi(core, options.limits, defaultTenant),
      resume: async (scope, tenantId = defaultTenant) => (await core()).runs.resume(tenantId, scope),
    },
    memory: memoryApi(core),
    sessions: sessionsApi(
      async () => (await core()).sessions,
      async (session, request) => {
        const { compactSession } = await import('./api/compact-session.ts');
        return compactSession(await core(), options, session, request);
      },
    ),
    usage: async (filter = {}) => (await import('./api/usage.ts')).usageReport((await core()).store, filter),
    budgets: {
      list: async (tenantId = defaultTenant) => {
        const { listBudgets } = await import('./api/usage.ts');
        const { store, clock } = await core();
        return listBudgets(store, options, tenantId, clock.now());
      },
    },
    tools: {
      list: async () => {
        const { toolbox } = await core();
        await toolbox.ready(null);
        return toolbox.specs(null);
      },
      describe: async () => {
        const { toolbox } = await core();
        await toolbox.ready(null);
        return toolbox.views();
      },
      servers: async () => (await core()).toolServers(),
    },
    skills: {
      list: async () => (await skills()).list(),
      show: async (name) => (await skills()).show(name),
      why: async (input) => (await skills()).why(input),
    },
    on,
    close() {
      closing ??= shut();
      return closing;
    },
  };
}
