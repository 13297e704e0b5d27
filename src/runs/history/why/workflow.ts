import { allowedCommands, isChartChanged, restore } from '../../../engine/machine.ts';
import type { TimerRow } from '../../../store/rows.ts';
import { callName, isOpen } from '../../../store/stored-call.ts';
import {
  childRunId,
  flowContextOf,
  flowOutputOf,
  type OpenService,
  workflowId,
  workflowOptionsOf,
} from '../../../store/stored-run.ts';
import { duration, shellWord } from '../../../text/wording.ts';
import { eventName, timerWords } from '../../flows/flow-names.ts';
import { brief } from './chain.ts';
import type { Evidence, Reading } from './evidence.ts';
import { type Advice, advice, type Finding, forkAt, moment, resumeWith, thenResume } from './finding.ts';
import { died } from './waiting.ts';

/** A run below a workflow, and why it is as it is. */
export interface Below {
  evidence: Evidence;
  finding: Finding;
}

/** Why a workflow's run that has started is as it is. @param below the runs that it waits for, in order. */
export function ofWorkflow(reading: Reading, evidence: Evidence, below: readonly Below[]): Finding {
  const { status } = evidence;
  if (status === 'done' || status === 'failed' || status === 'cancelled') return ended(evidence);
  const { open } = flowContextOf(evidence.row);
  const uncertain = open.filter(({ kind }) => kind === 'uncertain');
  if (uncertain.length > 0) return unknown(evidence, uncertain);
  const finding = unended(reading, evidence, below);
  const remedy = status === 'running' ? null : chartRemedy(reading, evidence);
  return remedy ? standing(evidence, finding, remedy) : finding;
}

/** The run does not move in this program, whatever it waits for. */
function standing(
  evidence: Evidence,
  finding: Finding,
  { isChanged, mayEnd, ...remedy }: ChartRemedy,
): Finding {
  const { id } = evidence.row;
  const why = 'its chart was edited and kept its version (CHART_CHANGED): the run stands still here';
  return {
    ...finding,
    ...(isChanged && { cause: 'chart_changed', details: [why, ...finding.details] }),
    next: [
      remedy,
      advice('then resume it', resumeWith(evidence)),
      ...(mayEnd ? [advice('or end it: its chart undoes nothing then', `detent runs cancel ${id}`)] : []),
    ],
  };
}

function unended(reading: Reading, evidence: Evidence, below: readonly Below[]): Finding {
  const { status } = evidence;
  const { open } = flowContextOf(evidence.row);
  const first = below.find(({ evidence }) => evidence.status === status) ?? below[0];
  const own = open.filter(
    ({ kind, linked }) => kind === 'step' || kind === 'action' || (kind === 'run' && !linked),
  );
  if (own.length === 0 && first) return waitsForRun(evidence, first, below);
  if (status === 'running') return running(evidence, own);
  if (status === 'interrupted' || status === 'decided' || status === 'unstarted')
    return left(reading, evidence, own);
  return waitsForEvent(reading, evidence);
}

function stateOf({ transitions }: Evidence): string {
  return transitions.at(-1)?.to ?? '(queued)';
}

function ended(evidence: Evidence): Finding {
  const { row, transitions, effects } = evidence;
  const output = flowOutputOf(row);
  const last = transitions.at(-1);
  if (output?.outcome === 'done')
    return {
      cause: 'completed',
      summary: `its chart reached its end in "${stateOf(evidence)}"`,
      details: output.output === undefined ? [] : [`its output: ${brief(JSON.stringify(output.output))}`],
      next: [],
    };
  const { code = 'FAILED', message = 'no reason is known' } = output?.error ?? {};
  const by = last?.event.by;
  if (output?.outcome === 'cancelled')
    return {
      cause: 'cancelled',
      summary: `it was cancelled${typeof by === 'string' ? ` by ${by}` : ''} in "${last?.from ?? '(queued)'}": ${message}`,
      details: [],
      next: again(evidence, row.seq - 1),
    };
  const effect = effects.get(Number(last?.event.effectId));
  const name = effect && evidence.nameOf(effect.n);
  const isService = last?.event.type === 'service.failed' || last?.event.type === 'effect.poisoned';
  const what =
    last?.event.type === 'run.faulted'
      ? 'its chart threw'
      : isService
        ? `"${name}" failed in "${last?.from}", and no onError of its chart takes that`
        : effect
          ? `the action "${name}" failed`
          : 'its chart failed';
  return {
    cause: causes[code] ?? (isService ? 'service_failed' : effect ? 'action_failed' : 'statechart_failed'),
    summary: `${what}: ${code}: ${message}`,
    details: effect ? [`it was started ${effect.attempt === 1 ? 'once' : `${effect.attempt} times`}`] : [],
    next: [
      ...(effect?.name === 'effect.run'
        ? [advice(`see why "${name}" failed`, `detent runs why ${childRunId(row.id, effect.n)}`)]
        : []),
      ...again(evidence, row.seq - 1),
    ],
  };
}

const causes: Readonly<Record<string, string>> = {
  BUDGET_EXHAUSTED: 'budget_exhausted',
  POISONED: 'poisoned',
  CHART_CHANGED: 'chart_changed',
};

function again(evidence: Evidence, seq: number): Advice[] {
  return seq < 1 ? [] : [advice(`fork it from before its end, ${thenResume}`, forkAt(evidence, seq))];
}

/** A step whose process died: only a person may say whether it ran. */
function unknown(evidence: Evidence, uncertain: readonly OpenService[]): Finding {
  const { row, effects, timers, now } = evidence;
  const [first] = uncertain;
  const names = uncertain.map(({ id }) => `"${id}"`).join(', ');
  const isFork = workflowOptionsOf(row).forkedAt !== undefined;
  return {
    cause: isFork ? 'made_again_in_fork' : 'crash_in_unsafe_step',
    summary: isFork
      ? `${names} may have run already, in the original of this fork, and what people approved there does not count here`
      : `${died(evidence, effects.get(first?.n ?? 0))} while ${names} was running, and Detent cannot know whether it took effect`,
    details: [
      'only a person may decide to run it again',
      ...timers
        .filter(({ event }) => event.startsWith('flow.unknown.'))
        .map(
          (timer) =>
            `${due(timer, now)}, ${evidence.nameOf(Number(timer.event.slice(13)))} fails with OUTCOME_UNKNOWN`,
        ),
    ],
    next: [
      ...uncertain.flatMap(({ id, n }) => {
        const command = `detent runs reconcile ${row.id} ${callName(n)}`;
        return [
          advice(
            `check the system that "${id}" changes; if it ran, with its output`,
            `${command} --ran --result JSON`,
          ),
          advice('if it did not run: run it again', `${command} --retry`),
          advice('or go on as if it had failed', `${command} --skip`),
        ];
      }),
      advice('then resume the run', resumeWith(evidence)),
    ],
  };
}

function waitsForRun(evidence: Evidence, first: Below, all: readonly Below[]): Finding {
  const { row } = evidence;
  const name = (one: Below) => {
    const { open } = flowContextOf(row);
    return open.find(({ n }) => childRunId(row.id, n) === one.evidence.row.id)?.id ?? '';
  };
  const own = new Set([resumeWith(first.evidence)]);
  const { finding } = first;
  const answer = answerAdvice(evidence, first, name(first));
  const next = answer ?? finding.next.filter(({ command }) => command === null || !own.has(command));
  const goesOn = first.evidence.status === 'running';
  return {
    cause: finding.cause,
    summary: `it waits for "${name(first)}", run ${first.evidence.row.id}, which is ${first.evidence.status}: ${finding.summary}`,
    details: [
      ...finding.details,
      ...all
        .filter((one) => one !== first)
        .map(
          (one) => `it waits for "${name(one)}", too: run ${one.evidence.row.id} is ${one.evidence.status}`,
        ),
      ...clock(evidence),
    ],
    // Resuming this run resumes those below it.
    next: [...next, ...(goesOn || answer ? [] : [advice('then resume this run', resumeWith(evidence))])],
  };
}

/** How a person answers what the chart itself asks; null for what a service of it asks. */
function answerAdvice({ row }: Evidence, { evidence }: Below, invocation: string): Advice[] | null {
  const question = evidence.questions.find(isOpen);
  if (evidence.options.ask === undefined || !question) return null;
  const how =
    question.kind === 'confirm' ? '--approve' : question.question?.fields ? '--form JSON' : '--answer TEXT';
  const command = `detent workflow answer ${row.id} ${shellWord(invocation)} ${how}`;
  return [advice(`answer "${invocation}" (or with --reject)`, command)];
}

function running(evidence: Evidence, own: readonly OpenService[]): Finding {
  const { row, now } = evidence;
  const driver = evidence.driverOf();
  return {
    cause: 'running',
    summary: `it is in "${stateOf(evidence)}"${driver ? ` in process ${driver.pid}` : ''}${own.length > 0 ? ` and performs ${serviceNames(own)}` : ''}`,
    details: [`its last transition was ${duration(now - row.updatedAt)} ago`, ...clock(evidence)],
    next: [
      advice('see its events', `detent runs events ${row.id}`),
      advice('or cancel it', `detent runs cancel ${row.id}`),
    ],
  };
}

/** Work that no process does. */
function left(reading: Reading, evidence: Evidence, own: readonly OpenService[]): Finding {
  const { row, now, status, effects, transitions } = evidence;
  const isKnown =
    reading.hosts.find(row.machine, row.version) !== undefined || chartRemedy(reading, evidence) === null;
  const isFresh = status === 'unstarted';
  const begun = own.map(({ n }) => effects.get(n)).find((effect) => effect?.status === 'started');
  const doing = own.length > 0 ? `: ${serviceNames(own)}` : '';
  const summary = isFresh
    ? `this run is a fork that has not been resumed; it starts where the original was in "${stateOf(evidence)}"`
    : status === 'decided'
      ? `${lastWords(evidence)}, and no process has resumed the run since`
      : `${died(evidence, begun)} while the run was in "${stateOf(evidence)}"${doing}`;
  return {
    cause: isFresh || status === 'decided' ? 'not_resumed' : 'process_died',
    summary,
    details: [
      `its last transition was seq ${row.seq} (${transitions.at(-1)?.event.type ?? 'none'}), ${duration(now - row.updatedAt)} ago, at ${moment(row.updatedAt)}`,
      ...own.map((service) => onResume(reading, evidence, service)),
      ...(isKnown
        ? []
        : [
            `it needs version ${row.version} of the workflow "${workflowId(row)}", which this program does not have`,
          ]),
    ],
    next: [advice('resume it', resumeWith(evidence))],
  };
}

/** The advice that lets this program move a run whose chart it lacks. */
interface ChartRemedy extends Advice {
  /** Whether the program has another chart of the same version. */
  isChanged: boolean;
  /** A cancellation ends the run here all the same. */
  mayEnd: boolean;
}

/** Null if the program has the chart. */
function chartRemedy({ hosts }: Reading, { row }: Evidence): ChartRemedy | null {
  try {
    hosts.migrationPathOf(row);
    return null;
  } catch (error) {
    const isChanged = isChartChanged(error);
    const words = isChanged
      ? 'restore the chart; or raise its version, and give workflow() the old chart as `earlier`'
      : `give workflow() the chart of version ${row.version} as \`earlier\`, or a migration from it; or use a program that has it`;
    return { ...advice(words), isChanged, mayEnd: hosts.ending(row) !== null };
  }
}

function lastWords(evidence: Evidence): string {
  const last = evidence.transitions.at(-1);
  if (!last) return 'it was created';
  const { event } = last;
  const name = eventName(event, evidence.nameOf);
  return event.type === 'tool.reconcile'
    ? `a person decided on "${evidence.nameOf(Number(event.callId))}"`
    : `"${name}" came`;
}

function onResume({ hosts }: Reading, { row, effects }: Evidence, { id, kind, n }: OpenService): string {
  const effect = effects.get(n);
  if (effect?.status !== 'started') return `on resume "${id}" starts`;
  if (kind === 'step') {
    const recover = hosts.find(row.machine, row.version)?.effects[effect.name]?.recover;
    const then = recover?.({ ...effect }, flowContextOf(row));
    if (then === 'uncertain') return `"${id}" is unsafe: on resume Detent asks you whether it ran`;
    return then === undefined
      ? `on resume "${id}" runs again, unless it is unsafe: then Detent asks you whether it ran`
      : `on resume "${id}" runs again: it is declared safe to repeat, or tells Detent whether it ran`;
  }
  return `on resume "${id}" ${kind === 'action' ? 'runs again' : 'is begun, unless it has begun'}`;
}

/** Nothing is performed: the run waits for events from outside and for the clock. */
function waitsForEvent(reading: Reading, evidence: Evidence): Finding {
  const { row, now } = evidence;
  const events = eventsNow(reading, evidence);
  const timers = clock(evidence);
  const [soonest] = evidence.timers.toSorted((a, b) => a.dueAt - b.dueAt);
  const until = soonest && `${timerWords(soonest, evidence.nameOf)} (${due(soonest, now)})`;
  const what = events === null ? 'an event' : events.length > 0 ? `an event: ${events.join(', ')}` : '';
  const waits = [what, until].filter(Boolean).join(', or ');
  return {
    cause: events?.length === 0 ? 'waiting_for_timer' : 'waiting_for_event',
    summary: `it is in "${stateOf(evidence)}" and waits for ${waits === '' ? 'nothing: its chart has no way out of it' : waits}`,
    details: [
      ...timers.slice(1),
      ...(events === null ? ['this program has not its chart, so it does not know which'] : []),
    ],
    next: [
      ...(events?.length === 0
        ? [
            advice('keep a process alive until then', 'detent serve'),
            advice('or resume it after that', resumeWith(evidence)),
          ]
        : [advice('send it an event', `detent workflow send ${row.id} ${events?.[0] ?? 'EVENT'}`)]),
      advice('or cancel it', `detent runs cancel ${row.id}`),
    ],
  };
}

/** The events of the chart's own that it takes now; null without the chart. */
function eventsNow({ hosts }: Reading, { row }: Evidence): string[] | null {
  const host = hosts.find(row.machine, row.version);
  if (!host) return null;
  try {
    const types = allowedCommands(host, restore(host, row)).map(({ type }) => type);
    return [...new Set(types)].filter((type) => !/^(run|tool)\./.test(type));
  } catch {
    // With an edited chart of the same version, its events now say nothing about this run.
    return null;
  }
}

function clock(evidence: Evidence): string[] {
  const { timers, now } = evidence;
  return timers
    .toSorted((a, b) => a.dueAt - b.dueAt)
    .map((timer) => `${timerWords(timer, evidence.nameOf)} is due ${due(timer, now)}`);
}

function due({ dueAt }: TimerRow, now: number): string {
  return `${dueAt > now ? `in ${duration(dueAt - now)}` : 'now'}, at ${moment(dueAt)}`;
}

function serviceNames(own: readonly OpenService[]): string {
  return own.map(({ id, attempt }) => `"${id}"${attempt > 1 ? ` (attempt ${attempt})` : ''}`).join(', ');
}
