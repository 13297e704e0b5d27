import { isDeepStrictEqual } from 'node:util';
import type { AnyStateMachine, AnyStateNode } from 'xstate';
import { DetentError } from '../../protocol/error.ts';
import { didYouMean } from '../../text/wording.ts';
import { servicesOf } from '../facade/chart-services.ts';
import { versionOf, type Workflow } from '../workflow.ts';
import { checkActions } from './actions.ts';
import { eventSchema } from './event-schema.ts';
import { checkExits } from './exits.ts';
import { type CheckCode, type Finding, Findings } from './findings.ts';
import { becomePure, isImpure } from './moves.ts';
import { checkNames } from './names.ts';
import { checkServices, notDurable } from './services.ts';
import { type Samples, walk } from './walk.ts';
import { inBothWorlds } from './worlds.ts';
import { nodesOf } from './written.ts';

/**
 * The codes that matter for an earlier version of a chart: its runs only have to end, and the chart cannot be changed
 * any more.
 */
const crashing: ReadonlySet<CheckCode> = new Set([
  'NOT_DURABLE',
  'INLINE_SERVICE',
  'UNKNOWN_ACTION',
  'UNKNOWN_GUARD',
  'UNKNOWN_DELAY',
  'ENDLESS_LOOP',
  'CONTEXT_NOT_JSON',
  'INPUT_NOT_JSON',
  'SEND_TO',
  'SPAWN',
]);

/**
 * Finds what keeps a chart from running durably, and what may surprise its author. It reads the config, and then tries
 * the chart: it makes every move that it finds, twice, without performing anything. Machines that the chart names in
 * `setup({ actors })` are checked, too, and those of earlier versions for what would end their runs.
 *
 * @param samples with which the chart is tried; what is missing is made up, so that guards may lead past some states
 * @param known what the services may name; left out where that is not known
 * @returns what it found, in the order of the states
 */
export function checkWorkflow(
  workflow: Workflow,
  samples: Samples = {},
  known: KnownNames | null = null,
): Finding[] {
  return check(workflow, samples, { maxMs: 1_000, known });
}

interface Scope {
  /** For the moves of each chart. */
  maxMs: number;
  known: KnownNames | null;
}

function check(workflow: Workflow, samples: Samples, scope: Scope): Finding[] {
  const { chart, id, options } = workflow;
  const seen = new Set<AnyStateMachine>();
  const found = checkChart(chart, id, samples, seen, scope, workflow);
  for (const earlier of options.earlier ?? [])
    found.push(
      ...checkChart(earlier, `${id}@${versionOf(earlier)}`, {}, seen, scope).filter(({ code }) =>
        crashing.has(code),
      ),
    );
  return found;
}

/** Caches the errors of a workflow: they are needed when its file is read and each time a Detent opens. */
const tried = new WeakMap<Workflow, readonly Finding[]>();

/**
 * Refuses a workflow that cannot run durably. Warnings do not refuse it. Tries its charts for a quarter of a second at most.
 *
 * @throws DetentError `INVALID_WORKFLOW` that lists all errors; `details.findings` has them.
 */
export function refuseFaulty(workflow: Workflow): void {
  const errors =
    tried.get(workflow) ??
    check(workflow, {}, { maxMs: 250, known: null }).filter(({ level }) => level === 'error');
  tried.set(workflow, errors);
  if (errors.length > 0) throw faulty(workflow.id, errors);
}

function faulty(id: string, errors: readonly Finding[]): DetentError {
  const lines = errors.map(
    ({ code, state, message, remedy }) => `\n  ${code} ${state} ${message}; ${remedy}`,
  );
  return new DetentError(
    'INVALID_WORKFLOW',
    `chart "${id}" cannot be run durably; "detent workflow check" says the same:${lines.join('')}`,
    { details: { id, findings: errors } },
  );
}

/**
 * Makes a move of a chart twice, in different worlds.
 *
 * @param where of the chart: the path of the state, and when, for people
 * @returns what the first move returned
 * @throws DetentError `INVALID_WORKFLOW` when the results differ, or the move reads the clock or random numbers; and what
 * the move throws.
 */
export function refuseImpure<Value>(
  { id }: AnyStateMachine,
  where: { state: string; when: string },
  move: () => Value,
  resultOf: (value: Value) => unknown,
): Value {
  const { value, isPure } = inBothWorlds(move, (first) => {
    const result = resultOf(first);
    return (second) => isDeepStrictEqual(result, resultOf(second));
  });
  if (isPure) return value;
  const { state, when } = where;
  const message = `${when}, ${isImpure}`;
  throw faulty(id, [{ level: 'error', code: 'IMPURE', state, message, remedy: becomePure }]);
}

function checkChart(
  chart: AnyStateMachine,
  path: string,
  samples: Samples,
  seen: Set<AnyStateMachine>,
  scope: Scope,
  ofWorkflow?: Workflow,
): Finding[] {
  if (seen.has(chart)) return [];
  seen.add(chart);
  const findings = new Findings(path);
  checkNames(chart, findings);
  checkServices(chart, findings);
  if (scope.known) checkKnown(chart, scope.known, findings);
  checkActions(chart, findings);
  const { raisers, payloads } = walk(chart, samples, findings, scope.maxMs);
  // Nobody sends events to a chart that another one invokes.
  for (const [type, node] of ofWorkflow ? payloads : [])
    if (!eventSchema(ofWorkflow, type))
      findings.add(
        'UNCHECKED_EVENT',
        node,
        `reads the payload of the event "${type}", but no schema describes it: an event without a payload is accepted`,
        `give workflow() a schema: { events: { '${type}': … } }`,
      );
  checkExits(chart, raisers, findings);
  const found = findings.sorted();
  for (const [name, service] of servicesOf(chart)) {
    if (service.kind !== 'workflow' || notDurable(service.chart) !== null) continue;
    const inner = name.startsWith('xstate.') ? service.chart.id : name;
    found.push(
      ...checkChart(service.chart, `${path}/${inner}`, { ...samples, input: undefined }, seen, scope),
    );
  }
  return found;
}

/** The names of agents and tools that there are where a chart is checked. */
interface KnownNames {
  agents: readonly string[];
  /** Null when they cannot be listed: an MCP server does not answer. */
  tools: readonly string[] | null;
}

/** Checks whether the agents and tools that the services of a chart name are there. */
function checkKnown(chart: AnyStateMachine, { agents, tools }: KnownNames, findings: Findings): void {
  const nodes = [...nodesOf(chart.root)];
  for (const [src, service] of servicesOf(chart)) {
    const at = nodes.find(({ invoke }) => invoke.some((one) => one.src === src)) ?? chart.root;
    if (service.kind === 'agent') {
      const { agent = 'default' } = service;
      if (!agents.includes(agent)) add('UNKNOWN_AGENT', 'agent', agent, agents, src, at, findings);
    }
    if (service.kind === 'tool' && tools && !tools.includes(service.tool))
      add('UNKNOWN_TOOL', 'tool', service.tool, tools, src, at, findings);
  }
}

function add(
  code: CheckCode,
  kind: 'agent' | 'tool',
  name: string,
  known: readonly string[],
  src: string,
  at: AnyStateNode,
  findings: Findings,
): void {
  findings.add(
    code,
    at,
    `"${src}" names the ${kind} "${name}", which is not there${didYouMean(name, known)}`,
    kind === 'agent'
      ? `add it to "agents" of the configuration, which has ${known.join(', ')}; a program has its own`
      : 'see those that there are: detent tools list; a program has its own',
  );
}
