import { type AnyMachineSnapshot, initialTransition, transition } from 'xstate';
import { idsIn } from '../../../machines/calls.rules.ts';
import { runMachine } from '../../../machines/run.machine.ts';
import type {
  AnswerCall,
  PendingCall,
  RunContext,
  RunEvent,
  RunLimits,
} from '../../../machines/run.types.ts';
import { pathOf } from '../../engine/machine.ts';
import { shortestPaths } from '../shortest-paths.ts';
import { type Answer, eventsToTry, scriptedCost } from './run-events.ts';

/** A call that the model may make, with what the policy of the agent says of it. */
export interface GraphCall {
  name: string;
  gate: AnswerCall['gate'];
  class: PendingCall['class'];
  isByPolicy: boolean;
  /** Whether its tool asks a person while it runs. */
  asks: boolean;
  mayChange: boolean;
}

interface Graph {
  limits: RunLimits;
  hasOutput: boolean;
  /** Answers with calls, each with the numbers of its calls. */
  answers: readonly (readonly GraphCall[])[];
}

/** A point on a path: the snapshot of the run machine, and the call behind each number. */
export interface Point {
  snapshot: AnyMachineSnapshot;
  calls: ReadonlyMap<number, GraphCall>;
  /** Calls whose tools have asked, and calls that were refused. */
  asked: ReadonlySet<number>;
  refused: readonly GraphCall[];
}

export interface AgentMove {
  event: RunEvent;
  /** What happens, in words. */
  words: string;
}

/** The moves from the start of a run to its end; those that another path begins with are left out. */
export function agentMoves(graph: Graph): AgentMove[][] {
  const start = startPoint(graph.limits);
  const { paths } = shortestPaths<Point, AgentMove>(start, {
    key: keyOf,
    moves: (point) => movesAt(point, graph),
    moveKey: ({ words }) => words,
    take: (point, { event }) => {
      const next = take(point, event);
      return next.snapshot === point.snapshot ? null : next;
    },
  });
  const chosen = new Map<string, AgentMove[]>();
  for (const { moves, from, end } of paths) {
    const step = `${from.split('\n')[0]} ${moves.at(-1)?.words} ${situationOf(end)}`;
    if (chosen.has(step)) continue;
    const rest = wayOut(end, graph);
    if (rest) chosen.set(step, [...moves, ...rest]);
  }
  const whole = [...chosen.values()].map((moves) => ({ moves, name: nameOf(moves) }));
  const names = new Set<string>();
  return whole.filter(({ name }) => !names.has(name) && names.add(name)).map(({ moves }) => moves);
}

/** Where a path leads from a point: the same as the machine alone does. */
export function take(point: Point, event: RunEvent): Point {
  const [snapshot] = transition(runMachine, point.snapshot as never, event);
  return { ...point, snapshot: snapshot as AnyMachineSnapshot, ...notesOf(point, event) };
}

/** A run that has begun. */
export function startPoint(limits: RunLimits): Point {
  const [idle] = initialTransition(runMachine, { limits });
  const first: Point = { snapshot: idle, calls: new Map(), asked: new Set(), refused: [] };
  return take(first, { type: 'run.start', at: 0 });
}

function notesOf(point: Point, event: RunEvent): Partial<Point> {
  if (event.type === 'tool.asked') return { asked: new Set([...point.asked, event.callId]) };
  if (event.type !== 'model.done') return {};
  const named = (event as NamedAnswer).named ?? [];
  const added = event.calls.map(({ callId }, i) => [callId, named[i] as GraphCall] as const);
  return {
    calls: new Map([...point.calls, ...added]),
    refused: event.calls.flatMap(({ gate }, i) => (gate === 'refuse' ? [named[i] as GraphCall] : [])),
  };
}

/** An answer, with the samples that its calls are made of. */
export type NamedAnswer = Extract<RunEvent, { type: 'model.done' }> & { named?: readonly GraphCall[] };

function movesAt(point: Point, graph: Graph): AgentMove[] {
  const { snapshot } = point;
  if (snapshot.status !== 'active') return [];
  const context = snapshot.context as RunContext;
  const isFresh =
    context.errors + context.unseen + context.care + context.empty === 0 && context.attempt <= 1;
  // Only how such a run ends is of interest.
  const isSpent = context.tokensIn > spentTokens;
  const events = eventsToTry(snapshot, (next) => answersAt(point, graph, next));
  return events.flatMap((event): AgentMove[] => {
    const words = wordsOf(event, point, isFresh);
    if (words === null || (isSpent && !isOnward(words))) return [];
    return [{ event: named(event, point), words }];
  });
}

/** The keys by which the machine sees that a call is made again. */
function named(event: RunEvent, { calls }: Point): RunEvent {
  if (event.type !== 'tool.done' && event.type !== 'tool.failed') return event;
  return { ...event, key: calls.get(event.effectId)?.name ?? '' };
}

function answersAt({ snapshot, calls, refused }: Point, graph: Graph, next: number): NamedPart[] {
  const context = snapshot.context as RunContext;
  const { steps, errors, tokensIn, attempt, care, unseen } = context;
  const { limits, hasOutput } = graph;
  const text: NamedPart = { finish: 'stop', text: true, calls: [], cost: scriptedCost };
  const spoken: NamedPart[] = hasOutput
    ? [
        { ...text, fits: true },
        { ...text, fits: false },
      ]
    : [text];
  const asking = (list: readonly GraphCall[], cost = scriptedCost): NamedPart => ({
    finish: 'toolCalls',
    text: false,
    calls: list.map((call, i) => ({
      callId: next + i,
      gate: call.gate,
      class: call.class,
      ...(call.gate === 'refuse' && { byPolicy: call.isByPolicy, key: call.name }),
    })),
    cost,
    named: list,
  });
  const last = refused[0] ?? [...calls.values()].at(-1);
  // A model may insist on a call that fails: the loop ends by a limit.
  if (steps > 0) return errors > 0 && last && unseen === 0 ? [...spoken, asking([last])] : spoken;
  if (attempt > 1 || care > 0 || unseen > 0) return spoken;
  const high = highCost(limits);
  return [
    ...spoken,
    { ...text, finish: 'length' },
    { ...text, finish: 'refusal', text: false },
    { ...text, finish: 'contentFilter' },
    ...graph.answers.map((list) => asking(list)),
    ...(high && tokensIn === 0 ? graph.answers.slice(0, 1).map((list) => asking(list, high)) : []),
  ];
}

type NamedPart = Answer & { named?: readonly GraphCall[] };

/** Uses up the budget of a run at once; null when it has none. */
function highCost({ tokens, costUsd }: RunLimits): typeof scriptedCost | null {
  if (tokens === null && costUsd === null) return null;
  const inputTokens = Math.max(tokens ?? 0, Math.ceil((costUsd ?? 0) * 1e6), spentTokens) + 1;
  return { inputTokens, outputTokens: 5, costUsd: (inputTokens + 5) / 1e6 };
}

/** What happens, as a person would say it; null for what no path of an agent tries there. */
function wordsOf(event: RunEvent, point: Point, isFresh: boolean): string | null {
  const { calls, asked, snapshot } = point;
  const context = snapshot.context as RunContext;
  const call = (id: number) => calls.get(id);
  const name = (id: number) => call(id)?.name ?? `call ${id}`;
  const isEarly = isFresh && context.steps <= 1;
  switch (event.type) {
    case 'model.done':
      return answerWords(event as NamedAnswer);
    case 'model.failed':
      if (context.steps > 0 || context.care > 0 || context.unseen > 0) return null;
      if (!event.error.retryable) return context.attempt > 1 ? null : 'the provider refuses the call';
      if (!event.partial) return 'the provider is busy';
      return context.attempt > 1 ? null : 'the provider fails in the middle of the answer';
    case 'timer.backoff':
      return 'the run tries again';
    case 'context.tooBig':
      return isFresh && context.steps === 0 ? 'the prompt is too long' : null;
    case 'flush.done':
      return 'the memory is written';
    case 'compact.done':
      return 'the conversation is summarised';
    case 'compact.failed':
      return context.attempt > 1 ? null : 'the summary fails';
    case 'tool.done':
      if (!call(event.effectId)?.asks) return `${name(event.effectId)} returns`;
      // A tool that has asked goes on when its question is settled, and may then return or throw.
      return asked.has(event.effectId) && !idsIn(context, 'asking').includes(event.effectId)
        ? `${name(event.effectId)} ends`
        : null;
    case 'tool.failed':
      return asked.has(event.effectId) ? null : `${name(event.effectId)} fails`;
    case 'tool.asked':
      return call(event.callId)?.asks && !asked.has(event.callId) ? `${name(event.callId)} asks` : null;
    case 'tool.uncertain':
      return asked.has(event.effectId) ? null : `the process dies after ${name(event.effectId)} has run`;
    case 'confirm.decide':
      return decisionWords(event, point);
    case 'tool.reconcile': {
      const words = { ran: 'says that it ran', retry: 'has it made again', skip: 'leaves it out' };
      return `a person ${words[event.verdict]}`;
    }
    case 'timer.confirm':
      return 'nobody decides in time';
    case 'timer.reconcile':
      return 'nobody says in time what became of it';
    case 'timer.deadline':
      return isEarly ? 'the working time is over' : null;
    case 'run.message':
      return isEarly ? 'the user sends another message' : null;
    case 'run.cancel':
      return isEarly ? 'the user cancels the run' : null;
    case 'run.resumed': {
      const isUnsafe = idsIn(context, 'started').some((id) => call(id)?.class === 'unsafe');
      const isAtWork = pathOf(snapshot.value).startsWith('active.working') && asked.size === 0;
      return isEarly && !isUnsafe && isAtWork ? 'the process dies' : null;
    }
    default:
      return null;
  }
}

function decisionWords(
  { callId, verdict }: Extract<RunEvent, { type: 'confirm.decide' }>,
  { snapshot, calls }: Point,
): string | null {
  const call = calls.get(callId);
  const isQuestion = idsIn(snapshot.context as RunContext, 'asking').includes(callId);
  if (verdict === 'modify' && !isQuestion && !call?.mayChange) return null;
  const words = isQuestion
    ? { approve: '', reject: 'declines to answer', modify: 'answers' }
    : { approve: 'approves', reject: 'rejects', modify: 'changes and approves' };
  return `a person ${words[verdict]} ${call?.name}`;
}

function answerWords({ finish, fits, calls, cost, named: samples = [] }: NamedAnswer): string {
  if (calls.length > 0) {
    const names = samples.map(({ name }) => name).join(' and ');
    return cost.inputTokens > scriptedCost.inputTokens
      ? `the model calls ${names} and uses up the budget`
      : `the model calls ${names}`;
  }
  if (finish === 'length') return 'the answer is cut off';
  if (finish === 'refusal') return 'the model refuses';
  if (finish === 'contentFilter') return 'the provider filters the answer';
  return fits === false ? 'the model gives an answer that does not fit' : 'the model answers';
}

const onward: readonly ((words: string) => boolean)[] = [
  (words) => words === 'the run tries again',
  (words) => words === 'the memory is written',
  (words) => words === 'the conversation is summarised',
  (words) => words.endsWith(' asks'),
  (words) => words.endsWith(' returns') || words.endsWith(' ends'),
  (words) => words.startsWith('a person approves ') || words.startsWith('a person answers '),
  (words) => words === 'a person says that it ran',
  (words) => words === 'the model answers',
];

function isOnward(words: string): boolean {
  return onward.some((is) => is(words));
}

/** More than the scripted answers of any path use, and less than a budget has. */
const spentTokens = 900;

/** More steps than any run needs that goes on without trouble. */
const maxWayOut = 20;

/** The way of a run to its end when nothing more goes wrong; null where the samples lead to none. */
function wayOut(from: Point, graph: Graph): AgentMove[] | null {
  const moves: AgentMove[] = [];
  let point = from;
  while (point.snapshot.status === 'active' && moves.length < maxWayOut) {
    const possible = movesAt(point, graph);
    const next = onward.map((is) => possible.find(({ words }) => is(words))).find((move) => move);
    if (!next) return null;
    moves.push(next);
    point = take(point, next.event);
  }
  return moves;
}

export function nameOf(moves: readonly AgentMove[]): string {
  return moves.map(({ words }) => words).join(', ');
}

/** The state of a run, and of its calls, by their names; of one that has ended, why. */
export function situationOf(
  { snapshot, calls, asked }: Point,
  path = pathOf(snapshot.value),
  context: RunContext = snapshot.context,
): string {
  const { pending, end } = context;
  const states = pending.map(({ id, state }) => `${calls.get(id)?.name} ${state}${asked.has(id) ? '!' : ''}`);
  return [path, ...states, end?.error?.code ?? end?.outcome ?? ''].join(' ');
}

function keyOf(point: Point): string {
  const c = point.snapshot.context as RunContext;
  const counters = [
    Math.min(c.steps, 1),
    c.attempt,
    c.care,
    c.unseen,
    c.errors,
    c.times,
    c.loss ?? '',
    c.refused ? 1 : 0,
    c.tokensIn > spentTokens ? 1 : 0,
    ['unfit', 'mends'].includes(c.answer) ? c.answer : '',
    point.refused.map(({ name }) => name).join('+'),
  ];
  return `${situationOf(point)}\n${counters.join(',')}`;
}
