import type { OutputSchema } from '../ports/output-schema.ts';
import { checkLimits } from '../protocol/config/limit-kinds.ts';
import { DetentError } from '../protocol/error.ts';
import { randomId } from '../protocol/ids.ts';
import { defaultTenant } from '../protocol/tenant.ts';
import { backupApi } from './api/backup.ts';
import type { Detent } from './api/detent.ts';
import { memoryApi } from './api/memory.ts';
import { createRunHandles, type RunHandle } from './api/run-handle.ts';
import { runsApi } from './api/runs.ts';
import { sessionsApi } from './api/sessions.ts';
import { skillsApi } from './api/skills.ts';
import { toolsApi } from './api/tools.ts';
import { budgetsApi, usageApi } from './api/usage.ts';
import type { Decorators } from './compose.ts';
import { defaultAgent } from './config/find-agent.ts';
import type { DetentOptions } from './config/options.ts';
import type { RunRequest } from './config/request.ts';
import type { Core } from './core.ts';

/**
 * Creates a Detent, which runs agents as durable statecharts.
 *
 * It opens its database on first use, and loads a provider with its first call.
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

/** The schema object of an agent, by name. */
function agentOutput(name = defaultAgent, { agents = {} }: DetentOptions): OutputSchema | undefined {
  return Object.hasOwn(agents, name) ? (agents[name]?.output as OutputSchema | undefined) : undefined;
}

/**
 * {@link createDetent} with test hooks between the engine and its surroundings.
 *
 * @internal
 */
export function assemble(options: DetentOptions, decorate?: Decorators): Detent {
  checkLimits(options.limits, 'createDetent');
  let opening: Promise<Core> | null = null;
  let closing: Promise<void> | null = null;

  const core = (): Promise<Core> => {
    if (closing) return Promise.reject(new DetentError('CLOSED', 'this Detent was closed; create a new one'));
    opening ??= open();
    return opening;
  };

  const open = (): Promise<Core> => {
    const opened = import('./compose.ts').then(({ compose }) => compose(options, decorate));
    // The next use tries to open again: the cause, such as another process with the lock, may be gone by then.
    opened.catch(() => {
      opening = null;
    });
    return opened;
  };

  const handles = createRunHandles(core, options);

  const shut = async () => {
    handles.stop();
    await opening?.then(
      (opened) => opened.close(),
      () => {},
    );
  };

  return {
    run<Output>(prompt: string, request: RunRequest = {}): RunHandle<Output> {
      const runId = randomId('run');
      const started = import('./api/start-run.ts').then(({ startRun }) =>
        startRun(core, options, prompt, request, runId),
      );
      const tenant = request.principal?.tenantId ?? defaultTenant;
      const output = request.output ?? agentOutput(request.agent, options);
      return handles.handle(tenant, runId, started, output) as RunHandle<Output>;
    },
    runs: runsApi(core, options, handles),
    memory: memoryApi(core),
    sessions: sessionsApi(core, options),
    usage: usageApi(core),
    budgets: budgetsApi(core, options),
    tools: toolsApi(core),
    skills: skillsApi(core),
    backup: backupApi(core),
    on: handles.on,
    close() {
      closing ??= shut();
      return closing;
    },
  };
}
