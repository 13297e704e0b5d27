import { allowedCommands, isChartChanged, restore } from '../../../engine/machine.ts';
import { isReserved } from '../../../protocol/enums.ts';
import type { Sentence } from '../../../protocol/views.ts';
import type { TimerRow } from '../../../store/rows.ts';
import { isOpen } from '../../../store/stored-call.ts';
import {
  flowContextOf,
  flowOutputOf,
  isOwnWork,
  type OpenService,
  subRunId,
  workflowId,
  workflowOptionsOf,
} from '../../../store/stored-run.ts';
import { shellWord } from '../../../text/wording.ts';
import { eventName, timerWords } from '../../flows/flow-names.ts';
import { knownChart } from '../known-chart.ts';
import { brief } from './chain.ts';
import type { Evidence, Reading } from './evidence.ts';
import {
  type Advice,
  advice,
  answer,
  decide,
  type Finding,
  forkAt,
  lookAt,
  resumeWith,
  thenResume,
} from './finding.ts';
import { say } from './say.ts';
import { died, expiries, lastTransition } from './waiting.ts';

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
  const { id, version } = evidence.row;
  const still = isChanged
    ? say('chart_changed')
    : say('chart_missing', { version, workflow: workflowId(evidence.row) });
  const cause = isChanged ? 'chart_changed' : 'migration_needed';
  // What it waits for stands all the same; else only the chart keeps it.
  const isWaiting = evidence.status === 'waiting';
  return {
    ...finding,
    cause,
    ...(isWaiting ? {} : { summary: still }),
    details: [...(isWaiting ? [still] : []), ...finding.details],
    next: [
      remedy,
      advice(say('then_resume'), resumeWith(evidence)),
      ...(mayEnd ? [advice(say('end_flow'), `detent runs cancel ${id}`)] : []),
    ],
  };
}

function unended(reading: Reading, evidence: Evidence, below: readonly Below[]): Finding {
  const { status } = evidence;
  const { open } = flowContextOf(evidence.row);
  const first = below.find(({ evidence }) => evidence.status === status) ?? below[0];
  const own = open.filter(isOwnWork);
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
      summary: say('flow_done', { state: stateOf(evidence) }),
      details:
        output.output === undefined
          ? []
          : [say('its_output', { output: brief(JSON.stringify(output.output)) })],
      next: [],
    };
  const { code = 'FAILED', message = 'no reason is known' } = output?.error ?? {};
  const by = last?.event.by;
  if (output?.outcome === 'cancelled')
    return {
      cause: 'cancelled',
      summary: say('flow_cancelled', {
        by: typeof by === 'string' ? by : undefined,
        state: last?.from ?? '(queued)',
        message,
      }),
      details: [],
      next: again(evidence, row.seq - 1),
    };
  const effect = effects.get(Number(last?.event.effectId));
  const name = effect ? evidence.nameOf(effect.n) : '';
  const isService = last?.event.type === 'service.failed' || last?.event.type === 'effect.poisoned';
  const what =
    last?.event.type === 'run.faulted'
      ? say('chart_threw')
      : isService
        ? say('service_failed', { name, state: last.from })
        : effect
          ? say('action_failed', { name })
          : say('chart_failed');
  return {
    cause: causes[code] ?? (isService ? 'service_failed' : effect ? 'action_failed' : 'statechart_failed'),
    summary: say('flow_failed', { what, code, message }),
    details: effect ? [say('started', { count: effect.attempt })] : [],
    next: [
      ...(effect?.name === 'effect.run'
        ? [advice(say('see_why_failed', { name }), lookAt(subRunId(row.id, effect.n)))]
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
  return seq < 1 ? [] : [advice(say('fork_before_end', thenResume), forkAt(evidence, seq))];
}

/** A step whose process died: only a person may say whether it ran. */
function unknown(evidence: Evidence, uncertain: readonly OpenService[]): Finding {
  const { row, effects } = evidence;
  const [first] = uncertain;
  const services = uncertain.map(({ id }) => `"${id}"`).join(', ');
  const isFork = workflowOptionsOf(row).forkedAt !== undefined;
  return {
    cause: isFork ? 'made_again_in_fork' : 'crash_in_unsafe_step',
    summary: isFork
      ? say('services_made_again', { services })
      : say('died_in_service', { died: died(evidence, effects.get(first?.n ?? 0)), services }),
    details: [say('only_a_person'), ...expiries(evidence)],
    next: [
      ...uncertain.flatMap(({ id, n }) => {
        const by = (flags: string) => decide('reconcile', row.id, n, flags);
        return [
          advice(say('service_ran', { name: id }), by('--ran --result JSON')),
          advice(say('run_again'), by('--retry')),
          advice(say('as_if_failed'), by('--skip')),
        ];
      }),
      advice(say('then_resume_run'), resumeWith(evidence)),
    ],
  };
}

function waitsForRun(evidence: Evidence, first: Below, all: readonly Below[]): Finding {
  const { row } = evidence;
  const name = (one: Below) => {
    const { open } = flowContextOf(row);
    return open.find(({ n }) => subRunId(row.id, n) === one.evidence.row.id)?.id ?? '';
  };
  const below = ({ evidence: { row, status } }: Below) => ({ run: row.id, status });
  const own = resumeWith(first.evidence).command;
  const { finding } = first;
  const answers = answerAdvice(evidence, first, name(first));
  const next = answers ?? finding.next.filter(({ command }) => command !== own);
  const goesOn = first.evidence.status === 'running';
  return {
    cause: finding.cause,
    summary: say('waits_for_service', { name: name(first), ...below(first), why: finding.summary }),
    details: [
      ...finding.details,
      ...all
        .filter((one) => one !== first)
        .map((one) => say('waits_for_service_too', { name: name(one), ...below(one) })),
      ...clock(evidence),
    ],
    // Resuming this run resumes those below it.
    next: [...next, ...(goesOn || answers ? [] : [advice(say('then_resume_this'), resumeWith(evidence))])],
  };
}

/** How a person answers what the chart itself asks; null for what a service of it asks. */
function answerAdvice({ row }: Evidence, { evidence }: Below, invocation: string): Advice[] | null {
  const question = evidence.questions.find(isOpen);
  if (evidence.options.ask === undefined || !question) return null;
  const how =
    question.kind === 'confirm' ? '--approve' : question.question?.fields ? '--form JSON' : '--answer TEXT';
  const by = answer('workflow answer', row.id, shellWord(invocation), how);
  return [advice(say('answer_service', { name: invocation }), by, '--reject')];
}

function running(evidence: Evidence, own: readonly OpenService[]): Finding {
  const { row, now } = evidence;
  const driver = evidence.driverOf();
  return {
    cause: 'running',
    summary: say('flow_running', {
      state: stateOf(evidence),
      pid: driver?.pid,
      services: serviceNames(own),
    }),
    details: [say('last_transition_ago', { ago: now - row.updatedAt }), ...clock(evidence)],
    next: [
      advice(say('see_events'), `detent runs events ${row.id}`),
      advice(say('cancel'), `detent runs cancel ${row.id}`),
    ],
  };
}

/** Work that no process does. */
function left(reading: Reading, evidence: Evidence, own: readonly OpenService[]): Finding {
  const { status, effects } = evidence;
  const isFresh = status === 'unstarted';
  const begun = own.map(({ n }) => effects.get(n)).find((effect) => effect?.status === 'started');
  const state = stateOf(evidence);
  const summary = isFresh
    ? say('flow_fork_not_resumed', { state })
    : status === 'decided'
      ? say('not_resumed', { what: lastWords(evidence) })
      : say('flow_died_while', { died: died(evidence, begun), state, services: serviceNames(own) });
  return {
    cause: isFresh || status === 'decided' ? 'not_resumed' : 'process_died',
    summary,
    details: [lastTransition(evidence), ...own.map((service) => onResume(reading, evidence, service))],
    next: [advice(say('resume'), resumeWith(evidence))],
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
    const remedy = isChanged ? say('restore_chart') : say('give_chart', { version: row.version });
    return { ...advice(remedy), isChanged, mayEnd: hosts.ending(row) !== null };
  }
}

function lastWords(evidence: Evidence): Sentence {
  const last = evidence.transitions.at(-1);
  if (!last) return say('flow_created');
  const { event } = last;
  return event.type === 'tool.reconcile'
    ? say('person_decided_on', { name: evidence.nameOf(Number(event.callId)) })
    : say('event_came', { event: eventName(event, evidence.nameOf) });
}

function onResume(
  { hosts }: Reading,
  { row, effects }: Evidence,
  { id: name, kind, n }: OpenService,
): Sentence {
  const effect = effects.get(n);
  if (effect?.status !== 'started') return say('service_starts', { name });
  if (kind === 'step') {
    const recover = knownChart(hosts, row)?.effects[effect.name]?.recover;
    const then = recover?.({ ...effect }, flowContextOf(row));
    if (then === 'uncertain') return say('service_is_unsafe', { name });
    return say(then === undefined ? 'service_runs_unless_unsafe' : 'service_is_safe', { name });
  }
  return say(kind === 'action' ? 'action_runs_again' : 'run_begins', { name });
}

/** Nothing is performed: the run waits for events from outside and for the clock. */
function waitsForEvent(reading: Reading, evidence: Evidence): Finding {
  const { row, now } = evidence;
  const events = eventsNow(reading, evidence);
  const send = `detent workflow send ${row.id}`;
  const timers = clock(evidence);
  const [soonest] = evidence.timers.toSorted((a, b) => a.dueAt - b.dueAt);
  const until = soonest && dueWords(soonest, evidence);
  const state = stateOf(evidence);
  const sent = events?.slice(0, maxAdvised).map(({ type, data }) => ({
    command: `${send} ${type}${data ? ` --data '${data}'` : ''}`,
    step: { does: 'send' as const, runId: row.id, type },
  }));
  // No process takes its timers: one that drives it would have taken this one.
  const isOverdue = soonest !== undefined && soonest.dueAt + overdueMs < now;
  return {
    cause: events?.length === 0 ? 'waiting_for_timer' : 'waiting_for_event',
    summary:
      events?.length !== 0
        ? say('waits_for_event', { state, events: events?.map(eventWords).join(', '), ...until })
        : until
          ? say('waits_for_timer', { state, ...until })
          : say('waits_for_nothing', { state }),
    details: [
      ...(isOverdue ? [say('timers_untaken')] : []),
      ...timers.slice(1),
      ...(events === null ? [say('events_unknown')] : []),
    ],
    next: [
      ...(isOverdue
        ? [advice(say('resume'), resumeWith(evidence))]
        : events?.length === 0
          ? [advice(say('keep_alive'), 'detent serve'), advice(say('resume_after'), resumeWith(evidence))]
          : []),
      ...(sent ?? [`${send} EVENT`]).map((how) => advice(say('send_event'), how)),
      advice(say('cancel'), `detent runs cancel ${row.id}`),
    ],
  };
}

/** A process that drives the run takes a timer within a second. */
const overdueMs = 2_000;

const maxAdvised = 4;

interface EventNow {
  type: string;
  guard?: string;
  data?: string;
}

function eventWords({ type, guard }: EventNow): string {
  return guard === undefined ? type : `${type} (if ${guard})`;
}

/** The events of the chart's own that it takes now; null without the chart. */
function eventsNow({ hosts }: Reading, { row }: Evidence): EventNow[] | null {
  const host = knownChart(hosts, row);
  if (!host) return null;
  const commands = allowedCommands(host, restore(host, row)) as EventNow[];
  return commands.filter(({ type }) => !isReserved(type));
}

function clock(evidence: Evidence): Sentence[] {
  return evidence.timers
    .toSorted((a, b) => a.dueAt - b.dueAt)
    .map((timer) => say('timer_due', dueWords(timer, evidence)));
}

function dueWords(timer: TimerRow, { now, nameOf }: Evidence) {
  return { timer: timerWords(timer, nameOf), left: timer.dueAt - now, at: timer.dueAt };
}

function serviceNames(own: readonly OpenService[]): Sentence[] {
  return own.map(({ id, attempt }) =>
    say('service', { name: id, attempt: attempt > 1 ? attempt : undefined }),
  );
}
