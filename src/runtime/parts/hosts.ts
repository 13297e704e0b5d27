import { type PastCall, type PastPrompt, pastPrompt } from '../../agent/model-call.ts';
import { AnswerCache, createRunHost, flush } from '../../agent/run-host.ts';
import type { AgentParts } from '../../agent/services.ts';
import { createCallHost } from '../../call/call-host.ts';
import type { MachineHost } from '../../engine/machine.ts';
import { dayLog } from '../../memory/memories.ts';
import { defaultTenant } from '../../protocol/access.ts';
import type { HookSet } from '../../protocol/ports.ts';
import { createTakeoverHost, importedHost } from '../../runs/rows.ts';
import { SubRuns } from '../../runs/sub-runs.ts';
import { createJobHost } from '../../schedule/job-host.ts';
import { withClientTools } from '../../tools/builtin.ts';
import type { Parts } from '../config/core.ts';
import type { DetentOptions } from '../config/detent-options.ts';
import type { SecretRedactor } from '../config/redaction.ts';

interface HostParts {
  parts: Parts;
  memory: NonNullable<AgentParts['memory']>;
  secrets: SecretRedactor;
  /** Undefined where the program has none. */
  hooks: HookSet | undefined;
}

/** The hosts of all machines, by what they drive. */
export interface OpenedHosts {
  run: MachineHost;
  call: MachineHost;
  job: MachineHost;
  imported: MachineHost;
  takeover: MachineHost;
  workflows: MachineHost[];
  /** Rebuilds the prompt of an agent's model call. */
  promptOf(call: PastCall): Promise<PastPrompt | null>;
}

/** Makes the hosts of the machines: they perform the effects of runs, and start runs, so they come after the engine. */
export async function openHosts(
  options: DetentOptions,
  { parts, memory, secrets, hooks }: HostParts,
): Promise<OpenedHosts> {
  const { store, bus, models, outputs, clock, worker, runs, tenants, workflows } = parts;
  const { redact, redactStream } = secrets;
  const { router, memory: remembered } = options;
  const ttlMs = router?.cache?.ttlMs;
  const calls = {
    store,
    bus,
    partsOf: tenants,
    tasks: subRunsOf(options, parts, secrets),
    redact,
    ...(hooks && { hooks }),
  } satisfies Partial<AgentParts>;
  const agents: AgentParts = {
    ...(await tenants(defaultTenant)),
    ...calls,
    models,
    withClientTools,
    outputs,
    dayLog,
    ...(remembered?.recall !== false && { memory }),
    clock,
    ...(ttlMs && { cache: new AnswerCache({ store, clock, redact, ttlMs }) }),
    random: Math.random,
    redactStream,
  };
  return {
    run: createRunHost(agents, flush) as MachineHost,
    call: createCallHost(calls) as MachineHost,
    job: createJobHost(worker) as MachineHost,
    imported: importedHost,
    takeover: createTakeoverHost(parts.hosts),
    workflows: workflows.hosts({
      store,
      runs,
      redact,
      toolboxOf: async (tenant) => (await tenants(tenant)).toolbox,
      async start(request) {
        const { startService } = await import('../requests/start-service.ts');
        await startService(parts, options, request);
      },
      async startChart(request) {
        const { startChart } = await import('../requests/start-workflow.ts');
        await startChart(parts, request);
      },
    }),
    promptOf: (call) => pastPrompt(agents, call),
  };
}

/** Sub-runs, which calls of the tool `task` start. Their checks are loaded with the first one. */
function subRunsOf(options: DetentOptions, parts: Parts, secrets: SecretRedactor): SubRuns {
  return new SubRuns({
    store: parts.store,
    engine: parts.engine,
    bus: parts.bus,
    clock: parts.clock,
    runs: parts.runs,
    async plan(parent, request, left) {
      const [{ subRunRequest }, { startRequest }, { checkModels }] = await Promise.all([
        import('../requests/sub-run-request.ts'),
        import('../requests/run-request.ts'),
        import('../requests/check-models.ts'),
      ]);
      const planned = subRunRequest(parent, request, left, {
        config: options,
        resolve: (asked) => startRequest(request.prompt, asked, options, ''),
      });
      secrets.addAll(checkModels(planned.options, planned.limits.costUsd, options));
      return planned;
    },
  });
}
