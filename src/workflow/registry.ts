import type { AnyStateMachine } from 'xstate';
import type { MachineHost, Migration } from '../engine/machine.ts';
import { DetentError } from '../protocol/error.ts';
import type { JsonObject } from '../protocol/json.ts';
import type { RunRow } from '../store/rows.ts';
import {
  type FlowContext,
  type OpenService,
  queuedState,
  workflowId,
  workflowOptionsOf,
} from '../store/stored-run.ts';
import { chartHash } from './facade/chart-hash.ts';
import { innerNames } from './facade/inner-names.ts';
import { plainJson } from './facade/plain-json.ts';
import { raised } from './facade/turn.ts';
import { createWorkflowHost } from './host/workflow-host.ts';
import type { WorkflowParts } from './host/workflow-parts.ts';
import {
  type MigratedWorkflow,
  unknownWorkflow,
  versionOf,
  type Workflow,
  type WorkflowMigration,
} from './workflow.ts';

/** The workflows of a program, by their ids. Charts within charts are among them. */
export class Workflows {
  readonly #names: ReadonlyMap<AnyStateMachine, string>;
  readonly #declared: readonly Workflow[];

  /** @throws DetentError `INVALID_WORKFLOW` for two workflows of one id. */
  constructor(declared: readonly Workflow[]) {
    this.#declared = declared;
    const ids = new Set<string>();
    for (const { id } of declared) if (ids.size === ids.add(id).size) throw twice(id);
    this.#names = innerNames(declared);
  }

  /** Those that a program declares, in their order. */
  get declared(): readonly Workflow[] {
    return this.#declared;
  }

  /** @throws DetentError `UNKNOWN_WORKFLOW`. */
  find(id: string): Workflow {
    const found = this.#declared.find((workflow) => workflow.id === id);
    if (found) return found;
    throw unknownWorkflow(
      id,
      this.#declared.map((workflow) => workflow.id),
    );
  }

  /** A host for each version of each chart. */
  hosts(parts: WorkflowParts): MachineHost[] {
    const inner = [...this.#names].filter(([chart]) => !this.#declared.some((one) => one.chart === chart));
    return [
      ...this.#declared.flatMap((workflow) => {
        const { id, chart, options } = workflow;
        const { earlier = [], migrate = [] } = options;
        return [chart, ...earlier].map((one) => {
          const own = migrate.filter(({ from }) => from < versionOf(one));
          const host = createWorkflowHost(id, one, parts, this.#names, workflow);
          return { ...host, migrate: own.map(migrationOf) };
        });
      }),
      ...inner.map(([chart, name]) => createWorkflowHost(name, chart, parts, this.#names)),
    ] as MachineHost[];
  }

  /**
   * Why this program does not move a run of a chart: it was edited and kept its version, or the run is of a version from which
   * nothing leads on. Null for a run that it moves, and for one of a workflow that it does not have.
   */
  whyStill({ machine, version, options }: StoredChart): 'CHART_CHANGED' | 'MIGRATION_NEEDED' | null {
    const id = workflowId({ machine });
    const workflow = this.#declared.find((one) => one.id === id);
    const [inner] = [...this.#names].find(([, name]) => name === id) ?? [];
    const { earlier = [], migrate = [] } = workflow?.options ?? {};
    const chart = workflow?.chart ?? inner;
    if (chart === undefined || migrate.some(({ from }) => from === version)) return null;
    const own = [chart, ...earlier].find((one) => versionOf(one) === version);
    if (own === undefined) return 'MIGRATION_NEEDED';
    return workflowOptionsOf({ options }).chart === chartHash(own) ? null : 'CHART_CHANGED';
  }
}

type StoredChart = Pick<RunRow, 'machine' | 'version' | 'options'>;

function twice(id: string): DetentError {
  return new DetentError('INVALID_WORKFLOW', `two charts have the id "${id}"; give each its own`, {
    details: { id },
  });
}

type Timers = NonNullable<ReturnType<Migration['snapshot']>['timers']>;

/** A migration of a chart, as the engine applies it: timers by name, services by the ids of their invocations. */
function migrationOf({ from, snapshot }: WorkflowMigration): Migration {
  return {
    from,
    snapshot({ value, context }) {
      const flow = context as FlowContext;
      // Not begun: the newer chart begins it.
      if (value === queuedState) return { value, context };
      const next = snapshot({ value, context: flow.user });
      const { timers, delayed } = timersOf(flow, next.timers ?? {});
      const user = plainJson(next.context, 'context');
      const open = flow.open.map((entry) => renamed(entry, next.services ?? {}));
      return { value: next.value, context: { ...flow, user, open, delayed }, timers };
    },
  };
}

/** The row of a service's effect keeps its old name, so the name in the context decides what is performed. */
function renamed(entry: OpenService, services: NonNullable<MigratedWorkflow['services']>): OpenService {
  const found = Object.entries(services).find(([, { was }]) => was === entry.id);
  if (!found) return entry;
  const [id, { src = entry.src }] = found;
  return { ...entry, id, src };
}

function timersOf(
  flow: FlowContext,
  asked: NonNullable<MigratedWorkflow['timers']>,
): { timers: Timers; delayed: FlowContext['delayed'] } {
  const timers: Record<string, Timers[string]> = {};
  const delayed: Record<string, JsonObject & { type: string }> = { ...flow.delayed };
  for (const [id, change] of Object.entries(asked)) {
    const was = typeof change === 'string' ? change : id;
    const later = flow.delayed[was];
    if (was !== id || change === null) delete delayed[was];
    if (later && change !== null) delayed[id] = later;
    const event = later ? `${raised}${id}` : id;
    timers[id] =
      change === null
        ? null
        : typeof change === 'string'
          ? { event, was }
          : { event, delayMs: change.delayMs };
  }
  return { timers, delayed };
}
