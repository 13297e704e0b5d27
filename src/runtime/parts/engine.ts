import { createEndTeller, type EndTeller, WaitTeller } from '../../agent/hooks.ts';
import { hasHooks } from '../../call/hooks.ts';
import type { EventBus } from '../../engine/bus.ts';
import type { Clock } from '../../engine/clock.ts';
import { Engine } from '../../engine/engine.ts';
import { createMachineHosts, type MachineHosts } from '../../engine/machine.ts';
import { someProgram } from '../../protocol/access.ts';
import type { HookSet, ModelDirectory, Toolbox } from '../../protocol/ports.ts';
import { kindOf } from '../../runs/rows.ts';
import { Runs } from '../../runs/runs.ts';
import { readQuestions } from '../../runs/views.ts';
import type { JobWorker } from '../../schedule/job-host.ts';
import { settlesQuestions } from '../../store/stored-call.ts';
import { isJobRun, isWorkflowRun } from '../../store/stored-run.ts';
import type { Reporting } from '../../telemetry/reporting.ts';
import { toolMatcher } from '../../tools/registry.ts';
import { noticeEgress } from '../config/check-notify.ts';
import type { DetentOptions } from '../config/detent-options.ts';
import type { SecretRedactor } from '../config/redaction.ts';
import type { Needs } from './needs.ts';
import { Notices, noticeTimeoutMs } from './notices.ts';
import { isElsewhere, type PlacedRuns } from './placed-runs.ts';
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
  placed: PlacedRuns | null;
  secrets: SecretRedactor;
  /** Undefined where the program has none. */
  hooks: HookSet | undefined;
  /** Whether this process runs the schedule. */
  worker: JobWorker;
  telemetry: Reporting;
  env: NodeJS.ProcessEnv;
  isWatched(tenant: number, runId: string): boolean;
}

/** Opens the engine, which drives runs: of the machines whose hosts are then added. */
export function openEngine(options: DetentOptions, parts: EngineParts): OpenedEngine {
  const { store, bus, clock, tenants, toolbox, telemetry, needs, worker, hooks } = parts;
  const { redact } = parts.secrets;
  const endTeller = hooks ? createEndTeller(hooks, store, telemetry.report) : null;
  const waits =
    hasHooks(hooks, 'runWaiting') || hasHooks(hooks, 'runDecided')
      ? new WaitTeller({
          hooks: hooks as HookSet,
          store,
          isDrivenElsewhere: parts.isDrivenElsewhere,
          report: telemetry.report,
        })
      : null;
  const notices = options.notify
    ? new Notices({
        notify: options.notify,
        store,
        clock,
        isWatched: parts.isWatched,
        report: telemetry.report,
        webhook: {
          env: parts.env,
          addSecrets: parts.secrets.addAll,
          now: () => clock.now(),
          webhooks: {
            egress: noticeEgress(options),
            timeoutMs: noticeTimeoutMs,
          },
        },
      })
    : null;
  const hosts = createMachineHosts();
  const { openEngine = (given) => new Engine(given) } = parts;
  const engine: Engine = openEngine({
    store,
    hosts,
    clock,
    bus,
    ownership: parts.ownership,
    posted: (to) => runs.posted(to),
    hints: parts.hints,
    ...(parts.dispatcher && { dispatcher: parts.dispatcher }),
    whyRefused: (row) =>
      parts.whyRefused(row) ??
      tenants.whyRefused(row) ??
      (isJobRun(row) ? worker.whyRefused() : needs.whyRefused(row)),
    redact,
    report: telemetry.report,
    ...watching({ store, log: telemetry.log, ends: endTeller, waits, notices }),
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
    // Each machine of a cluster has such runs, of which the others need not tell.
    report: (error, runId) => isElsewhere(error) || telemetry.report(error, runId),
    needs,
    ...(parts.placed && { home: parts.placed }),
    lookers: [waits, notices].filter((one) => one !== null),
  });
  notices?.look();
  return {
    engine,
    hosts,
    runs,
    async close() {
      await engine.stop();
      await runs.stop();
      await endTeller?.settled();
      await waits?.close();
      await notices?.close();
    },
  };
}

/** Undefined if neither a log nor a hook wants transitions, so that the engine skips the call. */
function watching({
  store,
  log,
  ends,
  waits,
  notices,
}: {
  store: OpenedStore['store'];
  log: Reporting['log'];
  ends: EndTeller | null;
  waits: WaitTeller | null;
  notices: Notices | null;
}): Pick<ConstructorParameters<typeof Engine>[0], 'watch'> {
  if (!log && !ends && !waits && !notices) return {};
  return {
    watch(transition) {
      log?.moved(transition);
      const { row, event, path } = transition;
      ends?.tell(row);
      if (row.ended || event.type === 'staff.say') notices?.look();
      const mayDecide = event.type === 'tool.asked' || settlesQuestions.has(event.type);
      // The states of a chart do not say whether it asks.
      if (!mayDecide && !isWorkflowRun(row) && !kindOf(row).isAskingPath(path)) return;
      waits?.look();
      notices?.look();
      if (log?.hasInfo())
        readQuestions(store, row).then(
          (questions) => log.asked(transition, questions),
          (error) => log.failed(error, row.id),
        );
    },
  };
}
