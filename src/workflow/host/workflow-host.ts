import type { AnyStateMachine } from 'xstate';
import { reconcileVerdicts } from '../../../machines/run.types.ts';
import type { EngineEvent, MachineHost } from '../../engine/machine.ts';
import { DetentError, messageOf } from '../../protocol/error.ts';
import { type JsonObject, parseJson, shown } from '../../protocol/json.ts';
import { cancelChildren } from '../../runs/runs.ts';
import { callName } from '../../store/stored-call.ts';
import { type FlowContext, workflowMachine, workflowOptionsOf } from '../../store/stored-run.ts';
import { shortHash } from '../../text/ids.ts';
import { payloadSchema } from '../check/event-schema.ts';

import { ChartActions } from '../facade/chart-actions.ts';
import { chartHash } from '../facade/chart-hash.ts';
import { type ChartService, servicesOf } from '../facade/chart-services.ts';
import { ChartlessRun } from '../facade/chartless-run.ts';
import { DurableChart } from '../facade/durable-chart.ts';
import { versionOf, type Workflow } from '../workflow.ts';
import { beginRun } from './begin-run.ts';
import { childEnded } from './child-ended.ts';
import { serviceParams } from './input-of.ts';
import { mustAskAgain } from './made-again.ts';
import { eventsFrom, OutsideEvents } from './outside-events.ts';
import { performAction } from './perform-action.ts';
import { performStep, uncertain } from './perform-step.ts';
import { ask } from './statements.ts';
import { failedFact, type WorkflowParts, type WorkflowRun } from './workflow-parts.ts';

/**
 * The host of one version of a user's chart: performs its services, and writes its rows.
 *
 * @param names of the charts among the workflows of the program
 * @param workflow what says which events the chart takes; null for a chart within another
 */
export function createWorkflowHost(
  name: string,
  chart: AnyStateMachine,
  parts: WorkflowParts,
  names: ReadonlyMap<AnyStateMachine, string>,
  workflow: Workflow | null = null,
): MachineHost<WorkflowRun> {
  const services = servicesOf(chart);
  const actions = new ChartActions(chart);
  const outside = eventsFrom(chart);
  const machine = new DurableChart(chart);
  const serviceOf = (src: unknown): ChartService => {
    const service = services.get(String(src));
    if (service) return service;
    throw new Error(`the chart "${name}" has no service "${String(src)}" any more`);
  };
  const broken = (effectId: number, error: unknown) =>
    failedFact(parts, effectId, { code: 'INTERNAL', message: messageOf(error) });
  const host: MachineHost<WorkflowRun> = {
    id: workflowMachine(name),
    version: versionOf(chart),
    fingerprint: chartHash(chart),
    machine,
    timersOf: (snapshot) => machine.timersOf(snapshot),
    awaited: ({ open }) => open.filter(({ kind }) => kind !== 'retry').map(({ n }) => n),
    commands: new OutsideEvents(chart),
    startEvent: 'run.start',
    heldEffect: 'effect.step',
    resumed: (lastAt) => ({ type: 'run.resumed', lastAt }),
    poisoned: (effectId) => ({ type: 'effect.poisoned', effectId }),
    faulted: (code, message) => ({ type: 'run.faulted', code, message }),
    possibleCommands: (context) => possibleCommands(context, outside),
    aboutCommand(snapshot, type) {
      const guard = machine.guardOn(snapshot, type);
      const data = workflow && payloadPattern(workflow, type);
      return { ...(guard !== null && { guard }), ...(data !== null && { data }) };
    },
    newCache: () => null,
    isParked: ({ context }) => isParked(context as FlowContext),
    effects: {
      'effect.step': {
        recover({ n }, { open }) {
          // A migration may have renamed it, and the row keeps the old name.
          const service = services.get(String(open.find((one) => one.n === n)?.src));
          return service?.kind === 'step' && service.sideEffect !== 'unsafe' ? 'perform' : 'uncertain';
        },
        async perform(job) {
          const { src, first } = await serviceParams(parts.store, job);
          const service = serviceOf(src);
          if (service.kind !== 'step') throw new Error(`"${job.params.id}" is not a step any more`);
          const { sideEffect } = service;
          if (await mustAskAgain(parts, services, job, { sideEffect, first })) return uncertain(job.effectId);
          return performStep(parts, service, job);
        },
        failed: broken,
        uncertain,
      },
      'effect.run': {
        recover: () => 'perform',
        async perform(job) {
          const service = serviceOf((await serviceParams(parts.store, job)).src);
          if (service.kind === 'step') throw new Error(`"${job.params.id}" is a step now`);
          return beginRun(parts, services, service, job, names);
        },
        failed: broken,
      },
      'effect.act': {
        recover: () => 'perform',
        perform: (job) => performAction(parts, actions, job),
        failed: (effectId, error) => ({
          event: {
            type: 'action.done',
            effectId,
            error: { code: 'INTERNAL', message: parts.redact(messageOf(error)) },
          },
        }),
      },
    },
    rows: {
      *'reconcile.ask'(params, { row, at, redact }) {
        const isFork = workflowOptionsOf(row).forkedAt !== undefined;
        const { n, id, src, first } = params as { n: number; id: string; src: string; first: number };
        const effect = yield* ask('findEffect', { run: row.pk, n: first });
        const { input = null } = JSON.parse(effect?.params ?? '{}') as JsonObject;
        const given = JSON.stringify(input);
        const why = isFork
          ? `step "${src}" may have run already, in the original of this fork`
          : `the process died while step "${src}" was running`;
        const body = { name: id, arguments: given, why };
        yield* ask('insertConfirmation', {
          run: row.pk,
          tenant: row.tenant,
          call: n,
          kind: 'reconcile',
          hash: shortHash(given),
          body: redact(JSON.stringify(body)),
          askedAt: at,
        });
      },
      *'reconcile.close'(params, { row, at }) {
        const { n, result } = params as { n: number; result?: string };
        refuseBrokenJson(row.id, n, result);
        const decision = JSON.stringify({ verdict: 'withdrawn', at });
        yield* ask('decideConfirmation', { run: row.pk, call: n, status: 'withdrawn', decision });
      },
      *'flow.clearTimers'(_, { row }) {
        // QuickJS refuses a loop over what a generator yields.
        const timers = yield* ask('listTimers', { run: row.pk });
        for (const { id } of timers) yield* ask('clearTimer', { run: row.pk, id });
      },
      // Emitted events go to watchers and are not stored.
      *'flow.emit'(params, { emit, redact }) {
        emit({ type: 'emitted', event: JSON.parse(redact(JSON.stringify(params.event))) });
      },
    },
    childEnded: (run, effect, child) => childEnded(parts, services, { run, effect, child }),
    aborting: cancelChildren,
  };
  const withoutChart: MachineHost<WorkflowRun> = {
    ...host,
    machine: new ChartlessRun(chart),
    timersOf: () => ({ set: new Map(), cleared: new Set() }),
    commands: new Set(['run.cancel']),
    possibleCommands: () => [{ type: 'run.cancel' }],
  };
  return { ...host, withoutChart };
}

/**
 * The chart gets the output of a step that a person supplies as JSON where it is that, else as text: an object with a slip would
 * arrive as text. Not in the machine, because a replay of older logs would throw.
 *
 * @throws DetentError `INVALID_ARGUMENTS`.
 */
function refuseBrokenJson(runId: string, n: number, result = ''): void {
  if (!/^\s*[[{]/.test(result) || parseJson(result) !== undefined) return;
  const call = callName(n);
  throw new DetentError(
    'INVALID_ARGUMENTS',
    `call ${call} of run ${runId} is a step, whose result is JSON; this text begins like JSON and is not: ${shown(result)}. If the step returned this very text, give it as a JSON string, in quotes`,
    { details: { runId, callId: call } },
  );
}

/** Whether nothing of the run is performed: it waits for events, timers, people, and runs of its own. */
function isParked({ open }: FlowContext): boolean {
  return open.every(
    ({ kind, linked }) => kind === 'uncertain' || kind === 'retry' || (kind === 'run' && linked === true),
  );
}

function possibleCommands({ open }: FlowContext, outside: readonly string[]): EngineEvent[] {
  const uncertain = open.filter(({ kind }) => kind === 'uncertain');
  const words = reconcileVerdicts.flatMap((verdict) =>
    uncertain.map(({ n }) => ({ type: 'tool.reconcile', callId: n, verdict })),
  );
  return [{ type: 'run.cancel' }, ...words, ...outside.map((type) => ({ type }))];
}

/** The fields that an event must bring, as JSON with words in capitals for the values: `{"amount":NUMBER}`; null for none. */
function payloadPattern(workflow: Workflow, type: string): string | null {
  const { properties = {}, required = [] } = payloadSchema(workflow, type) ?? {};
  const fields = (required as string[]).map((name) => {
    const { const: only, type: kind = 'json' } = ((properties as JsonObject)[name] ?? {}) as JsonObject;
    const word = kind === 'string' ? '"TEXT"' : String(kind).toUpperCase();
    return `${JSON.stringify(name)}:${only === undefined ? word : JSON.stringify(only)}`;
  });
  return fields.length === 0 ? null : `{${fields.join(',')}}`;
}
