import type { AnyStateMachine } from 'xstate';
import type { MachineHost } from '../engine/machine-host.ts';
import { DetentError } from '../protocol/error.ts';
import { servicesOf } from './facade/chart-services.ts';
import { migrationOf } from './host/migration.ts';
import type { WorkflowParts } from './host/parts.ts';
import { createWorkflowHost } from './host/workflow-host.ts';
import { unknownWorkflow } from './unknown-workflow.ts';
import { versionOf, type Workflow } from './workflow.ts';

/** The workflows of a program, by the ids of their charts. Charts within charts are among them. */
export class Workflows {
  readonly #all = new Map<string, { chart: AnyStateMachine; workflow: Workflow | null }>();
  readonly #declared: readonly Workflow[];

  /** @throws DetentError `INVALID_WORKFLOW` for two charts of one id. */
  constructor(declared: readonly Workflow[]) {
    this.#declared = declared;
    for (const workflow of declared) {
      if (this.#all.has(workflow.id)) throw twice(workflow.id);
      this.#add(workflow.chart, workflow);
    }
    for (const { chart } of declared) this.#addInner(chart);
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
    return [...this.#all.values()].flatMap(({ chart, workflow }) => {
      const { earlier = [], migrate = [] } = workflow?.options ?? {};
      return [chart, ...earlier].map((one) => {
        const own = migrate.filter(({ from }) => from < versionOf(one));
        return { ...createWorkflowHost(one, parts), migrate: own.map(migrationOf) } as MachineHost;
      });
    });
  }

  #add(chart: AnyStateMachine, workflow: Workflow | null): void {
    const known = this.#all.get(chart.id);
    if (known && known.chart !== chart) throw twice(chart.id);
    if (!known) this.#all.set(chart.id, { chart, workflow });
  }

  #addInner(chart: AnyStateMachine): void {
    for (const service of servicesOf(chart).values()) {
      if (service.kind !== 'workflow') continue;
      const isKnown = this.#all.get(service.chart.id)?.chart === service.chart;
      if (!isKnown) this.#add(service.chart, null);
      if (!isKnown) this.#addInner(service.chart);
    }
  }
}

function twice(id: string): DetentError {
  return new DetentError('INVALID_WORKFLOW', `two charts have the id "${id}"; give each its own`, {
    details: { id },
  });
}
