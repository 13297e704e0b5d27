import { createEndTeller, type EndTeller } from '../../agent/hooks/run-end.ts';
import { WaitTeller } from '../../agent/hooks/run-waits.ts';
import { createRunHost } from '../../agent/run-host.ts';
import type { AgentServices } from '../../agent/services.ts';
import { createCallHost } from '../../call/call-host.ts';
import { defaultHookTimeoutMs, hasHooks } from '../../call/hooks.ts';
import type { EventBus } from '../../engine/bus.ts';
import type { Clock } from '../../engine/clock.ts';
import { Engine } from '../../engine/engine.ts';
import type { MachineHost } from '../../engine/machine-host.ts';
import { createMachineHosts, type MachineHosts } from '../../engine/machine-hosts.ts';
import { dayLog } from '../../memory/day-log.ts';
import type { ModelDirectory } from '../../ports/chat-model.ts';
import type { HookSet } from '../../ports/hooks.ts';
import type { OutputChecker } from '../../ports/output-schema.ts';
import type { Toolbox } from '../../ports/toolbox.ts';
import { someProgram } from '../../protocol/access.ts';
import { randomId } from '../../protocol/ids.ts';
import { defaultTenant } from '../../protocol/tenant.ts';
import { isJobRun } from '../../records/job-run.ts';
import { importedHost } from '../../runs/imported.ts';
import { Runs } from '../../runs/runs.ts';
import { createJobHost } from '../../schedule/job-host.ts';
import type { JobWorker } from '../../schedule/job-worker.ts';
import type { Reporting } from '../../telemetry/reporting.ts';
import type { RunLog } from '../../telemetry/run-log.ts';
import { isAboutPeople } from '../../telemetry/wait-lines.ts';
import { withClientTools } from '../../tools/client-tools.ts';
import { toolMatcher } from '../../tools/registry/name-patterns.ts';
import type { DetentOptions } from '../config/detent-options.ts';
import type { SecretRedactor } from '../redaction.ts';
import type { Needs } from './needs.ts';
import type { OpenedStore } from './store.ts';
import type { OpenedTenants } from './tenants.ts';

interface OpenedEngine {
  engine: Engine;
  hosts: MachineHosts;
  runs: Runs;
  /** Stops driving, ends the waits for runs, and waits for the hooks that only look. */
  close(): Promise<void>;
}

interface EngineParts extends OpenedStore {
  tenants: OpenedTenants;
  bus: EventBus;
  clock: Clock;
  models: ModelDirectory;
  toolbox: Toolbox;
  needs: Needs;
  outputs: OutputChecker;
  memory: NonNullable<AgentServices['memory']>;
  secrets: SecretRedactor;
  /** Whether this process runs the schedule. */
  worker: JobWorker;
  telemetry: Reporting;
  /** The hosts of the user's own charts. */
  workflowHosts(runs: () => Runs): MachineHost[];
  /** A test hook between the engine and the agent. */
  decorateHost: (host: MachineHost) => MachineHost | MachineHost[];
  /** The same between the engine and scheduled jobs. */
  decorateJobHost: (host: MachineHost) => MachineHost;
  /** The same between the engine and runs of one call. */
  decorateCallHost: (host: MachineHost) => MachineHost;
}

/** Opens the engine, which drives runs. No run moves before one is created or resumed. */
export async function openEngine(options: DetentOptions, parts: EngineParts): Promise<OpenedEngine> {
  const { hooks: functions, hookTimeoutMs: timeoutMs = defaultHookTimeoutMs, router, memory } = options;
  const { store, bus, clock, tenants, toolbox, telemetry, secrets, needs, worker } = parts;
  const { redact, redactStream } = secrets;
  const hooks = functions && { hooks: functions, timeoutMs };
  const endTeller = hooks ? createEndTeller(hooks, telemetry.report) : null;
  const waits =
    hasHooks(hooks, 'runWaiting') || hasHooks(hooks, 'runDecided')
      ? new WaitTeller({
          hooks: hooks as HookSet,
          store,
          isOfAnother: (driver) => driver !== null && engine.isDrivenElsewhere({ driver }),
          report: telemetry.report,
        })
      : null;
  const host = createRunHost({
    ...(await tenants.of(defaultTenant)),
    partsOf: tenants.of,
    store,
    bus,
    models: parts.models,
    withClientTools,
    outputs: parts.outputs,
    dayLog,
    ...(memory?.recall !== false && { memory: parts.memory }),
    clock,
    ...(router?.cache?.ttlMs && { cache: { ttlMs: router.cache.ttlMs } }),
    random: Math.random,
    newId: () => randomId('art'),
    redact,
    redactStream,
    ...(hooks && { hooks }),
  });
  const callHost = createCallHost({
    store,
    bus,
    partsOf: tenants.of,
    newId: () => randomId('art'),
    redact,
    ...(hooks && { hooks }),
  });
  const hosts = createMachineHosts(
    [
      parts.decorateHost(host),
      parts.decorateCallHost(callHost as MachineHost),
      importedHost,
      parts.decorateJobHost(createJobHost(worker) as MachineHost),
      parts.workflowHosts(() => runs),
    ].flat(),
  );
  const engine: Engine = new Engine({
    store,
    hosts,
    clock,
    bus,
    ownership: parts.ownership,
    posted: (to) => runs.posted(to),
    hints: parts.hints,
    whyRefused: (row) =>
      parts.whyRefused(row) ??
      tenants.whyRefused(row) ??
      (isJobRun(row) ? worker.whyRefused() : needs.whyRefused(row)),
    redact,
    report: telemetry.report,
    ...watching({ store, log: telemetry.log, ends: endTeller, waits }),
  });
  const runs: Runs = new Runs({
    engine,
    store,
    bus,
    toolbox,
    models: parts.models,
    partsOf: tenants.of,
    redact,
    actor: options.actor ?? someProgram,
    fourEyes: toolMatcher(options.policy?.fourEyes ?? []),
    hints: parts.hints,
    clock,
    report: telemetry.report,
    needsOf: needs.of,
    looked: () => waits?.look(),
  });
  return {
    engine,
    hosts,
    runs,
    async close() {
      await engine.stop();
      await runs.stop();
      await endTeller?.settled();
      await waits?.close();
    },
  };
}

/** Undefined if neither a log nor a hook wants transitions, so that the engine skips the call. */
function watching({
  store,
  log,
  ends,
  waits,
}: {
  store: OpenedStore['store'];
  log: RunLog | null;
  ends: EndTeller | null;
  waits: WaitTeller | null;
}): Pick<ConstructorParameters<typeof Engine>[0], 'watch'> {
  if (!log && !ends && !waits) return {};
  return {
    watch(transition) {
      log?.moved(transition);
      ends?.tell(transition.row);
      if (!isAboutPeople(transition)) return;
      waits?.look();
      if (log?.hasInfo())
        store.query('listConfirmations', { run: transition.row.pk }).then(
          (questions) => log.asked(transition, questions),
          (error) => log.failed(error, transition.row.id),
        );
    },
  };
}
