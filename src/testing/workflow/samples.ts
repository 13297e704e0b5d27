import type { AnyStateMachine, EventObject } from 'xstate';
import { DetentError } from '../../protocol/error.ts';
import { isObject } from '../../protocol/json.ts';
import type { ToolSchema } from '../../protocol/tool.ts';
import { fitted } from '../../runtime/requests.ts';
import { nodesOf } from '../../workflow/check.ts';
import { type ChartService, eventsFrom, OutsideEvents, outputOf, servicesOf } from '../../workflow/facade.ts';
import type { Workflow } from '../../workflow/workflow.ts';
import type { Happening, ServiceFailure } from './happening.ts';
import type { Plain } from './plain-chart.ts';

/** What may happen to a chart, as its samples say. */
export interface Script {
  happenings(plain: Plain): Happening[];
}

const failure: ServiceFailure = { code: 'SAMPLE', message: 'a sample of a failure' };

/**
 * Reads the samples of a workflow.
 *
 * @throws DetentError `INVALID_SAMPLE` for a service without samples, samples of no service, and what fits no schema
 */
export async function scriptOf(
  workflow: Workflow,
  given: Readonly<Record<string, readonly unknown[]>>,
  events: readonly EventObject[] | undefined,
): Promise<Script> {
  const { id, chart } = workflow;
  const services = servicesOf(chart);
  const unknown = Object.keys(given).find((name) => !services.has(name));
  if (unknown !== undefined)
    throw invalidSample(
      id,
      `it has no service "${unknown}"; it has ${[...services.keys()].join(', ') || 'none'}`,
    );
  const ends = new Map<string, readonly Ending[]>();
  const missing: string[] = [];
  for (const [name, service] of services) {
    const samples = Object.hasOwn(given, name) ? given[name] : ownSamples(service);
    if (samples) ends.set(name, await endingsOf(id, name, service, samples));
    else if (isInvoked(chart, name)) missing.push(name);
  }
  if (missing.length > 0) throw noAnswers(id, missing);
  const outside = await eventsOf(workflow, events);
  return {
    happenings: ({ snapshot, open, timers }) => [
      ...[...open].flatMap(([service, src]) => {
        const endings = ends.get(src);
        // One that is spawned: only the chart under way shows which services it spawns.
        if (!endings) throw noAnswers(id, [src]);
        return endings.map((ending) => ({ ...ending, id: service }));
      }),
      ...[...new Set(timers.map(({ event }) => event.type))].map((type) => ({
        kind: 'timer' as const,
        type,
      })),
      ...(snapshot.status === 'active' ? outside : []).map((event) => ({ kind: 'event' as const, event })),
    ],
  };
}

type Ending = { kind: 'done'; output: unknown } | { kind: 'failed'; error: ServiceFailure };

async function endingsOf(
  workflow: string,
  name: string,
  service: ChartService,
  samples: readonly unknown[],
): Promise<Ending[]> {
  const endings: Ending[] = [];
  for (const [i, sample] of samples.entries())
    if (isFailure(sample)) endings.push({ kind: 'failed', error: sample.error });
    else {
      const where = `answer ${i + 1} of "${name}" of workflow "${workflow}"`;
      endings.push({
        kind: 'done',
        output: await fitted(outputOf(service), sample, 'INVALID_SAMPLE', where),
      });
    }
  if (!endings.some(({ kind }) => kind === 'failed')) endings.push({ kind: 'failed', error: failure });
  return endings;
}

/** A sample that has nothing but an error with a code and a message. */
function isFailure(sample: unknown): sample is { error: ServiceFailure } {
  if (!isObject(sample) || Object.keys(sample).length !== 1) return false;
  const { error } = sample as { error?: unknown };
  const { code, message } = (isObject(error) ? error : {}) as Record<string, unknown>;
  return typeof code === 'string' && typeof message === 'string';
}

/** A question that has no form has few answers, and they are known. */
function ownSamples(service: ChartService): readonly unknown[] | undefined {
  if (service.kind !== 'ask' || service.form) return undefined;
  return service.options ?? [{ approved: true }, { approved: false }];
}

function isInvoked(chart: AnyStateMachine, name: string): boolean {
  return nodesOf(chart.root).some(({ invoke }) => invoke.some(({ src }) => src === name));
}

/** Those that are given; else each that the chart names, without a payload. A chart that compensates is cancelled, too. */
async function eventsOf(
  { id, chart, options }: Workflow,
  given: readonly EventObject[] | undefined,
): Promise<EventObject[]> {
  const cancel = (chart.events as string[]).includes('run.cancel') ? [{ type: 'run.cancel' }] : [];
  const named = eventsFrom(chart);
  const taken = new OutsideEvents(chart);
  const unknown = given?.find(({ type }) => !taken.has(type));
  if (unknown)
    throw invalidSample(
      id,
      `it takes no event "${unknown.type}"; it takes ${named.join(', ') || 'none from outside'}`,
    );
  const schemas = (options.events ?? {}) as Record<string, ToolSchema<unknown> | undefined>;
  const outside = await Promise.all(
    (given ?? named.map((type) => ({ type }))).map(async (event) => {
      const { type } = event;
      const fit = await fitted(schemas[type], event, 'INVALID_SAMPLE', `the sample of event "${type}"`).catch(
        (error: unknown) => {
          if (given) throw error;
          throw invalidSample(
            id,
            `the event "${type}" has a payload, and its schema refuses one without: give events: [{ type: '${type}', … }], with the others that should be sent`,
          );
        },
      );
      return { ...(fit as object), type };
    }),
  );
  return [...outside, ...cancel];
}

function noAnswers(id: string, missing: readonly string[]): DetentError {
  const names = missing.map((name) => `"${name}"`).join(', ');
  return invalidSample(
    id,
    `samples have no answers of ${names}; give each a list: samples: { ${missing[0]}: [null] }`,
  );
}

function invalidSample(id: string, why: string): DetentError {
  return new DetentError('INVALID_SAMPLE', `workflow "${id}": ${why}`, { details: { id } });
}
