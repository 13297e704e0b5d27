import type { AnyStateMachine } from 'xstate';
import * as z from 'zod';
import { defineTool } from '../../../src/index.ts';
import { isChart } from '../../../src/workflow/facade/chart-services.ts';
import { type Workflow, workflow } from '../../../src/workflow/index.ts';
import { type Service, type StepService, serviceOf, step } from '../../../src/workflow/services.ts';
import type { Life } from '../harness/life.ts';
import { readWork } from '../ledger.ts';
import type { Work, WorkflowOrder } from './order.ts';
import type { WorkflowScenario } from './scenarios.ts';

type WorkflowLife = Life<WorkflowOrder>;
type Actors = Record<string, unknown>;

/** A minute of an example is so many milliseconds here. */
const minute = 40;

/** The workflow of a scenario: an example with short delays, whose steps note what they do, and have boundaries within. */
export function workflowOf(life: WorkflowLife, scenario: WorkflowScenario): Workflow {
  const { chart, options } = scenario.workflow;
  return workflow(watched(life, scenario, chart), options);
}

function watched(life: WorkflowLife, scenario: WorkflowScenario, chart: AnyStateMachine): AnyStateMachine {
  const actors = Object.entries(chart.implementations.actors as Actors).map(([name, logic]) => {
    if (isChart(logic)) return [name, watched(life, scenario, logic)];
    const service = serviceOf(logic);
    return [name, service ? changed(life, scenario, name, service, logic) : logic];
  });
  return chart.provide({ actors: Object.fromEntries(actors), delays: scenario.delays ?? {} } as never);
}

function changed(
  life: WorkflowLife,
  { failing = {}, classes = {} }: WorkflowScenario,
  name: string,
  service: Service,
  logic: unknown,
): unknown {
  if (service.kind !== 'step') return logic;
  const {
    kind: _,
    retry,
    run,
    ...own
  } = service as unknown as { kind: 'step' } & StepService<unknown, unknown>;
  const sideEffect = classes[name] ?? own.sideEffect;
  const isDone = (key: string) =>
    readWork(life.order.workspace).find((one) => one.key === key && one.what === 'done');
  return step({
    ...own,
    sideEffect,
    ...(retry &&
      sideEffect !== 'unsafe' && { retry: { ...retry, delayMs: ((retry.delayMs ?? 0) / 60_000) * minute } }),
    async run(input: unknown, context) {
      const { idempotencyKey: key } = context;
      life.boundary(`${name}.start`);
      const tried = readWork(life.order.workspace).filter((one) => one.name === name && one.what === 'tried');
      note(life, { name, key, what: 'tried' });
      if (tried.length < (failing[name] ?? 0)) throw new Error(`${name} failed`);
      const output = await run(input, context);
      note(life, { name, key, what: 'done' });
      life.boundary(`${name}.end`);
      return output;
    },
    ...(sideEffect === 'probe' && {
      status: (_input: unknown, { idempotencyKey }: { idempotencyKey: string }) =>
        isDone(idempotencyKey) ? { ran: true as const, output: 'written' } : { notRan: true as const },
    }),
  });
}

function note(life: WorkflowLife, work: Work): void {
  life.record('work.jsonl', work);
}

export function toolsOf(life: WorkflowLife, { asksToPay }: WorkflowScenario) {
  const tool = (name: string, sideEffect: 'idempotent' | 'unsafe', confirm: boolean, said: string) =>
    defineTool({
      name,
      description: name,
      parameters: z.looseObject({}),
      sideEffect,
      confirm,
      run(_: unknown, { idempotencyKey: key }) {
        life.boundary(`${name}.start`);
        note(life, { name, key, what: 'done' });
        life.boundary(`${name}.end`);
        return said;
      },
    });
  return [
    tool('refund_payment', 'unsafe', asksToPay ?? false, paid),
    tool('note', 'idempotent', false, 'noted'),
  ];
}

/** What the tool that pays says. */
export const paid = 'payment 7';
