import { type AnyMachineSnapshot, initialTransition, transition } from 'xstate';
import { runMachine } from '../../../machines/run.machine.ts';
import type { RunContext, RunEvent, RunLimits } from '../../../machines/run.types.ts';
import { pathOf } from '../../engine/machine.ts';
import { shortestPaths } from '../shortest-paths.ts';
import { turnWords, wordsOf } from './path-words.ts';
import type { GraphCall, NamedAnswer, PathEvent, Point } from './point.ts';
import { type Answer, eventsToTry, scriptedCost } from './run-events.ts';

interface Graph {
  limits: RunLimits;
  hasOutput: boolean;
  /** Answers with calls, each with the numbers of its calls. */
  answers: readonly (readonly GraphCall[])[];
  /** How many models are left when the first one fails. */
  fallbacks: number;
}

interface AgentMove {
  event: PathEvent;
  /** What happens, in words. */
  words: string;
}

/** Where a run is when it begins, and what happens to it until it ends. */
export interface Course {
  start: Point;
  moves: AgentMove[];
}

/** All courses, one for each thing that may happen somewhere. */
export function agentCourses(graph: Graph): Course[] {
  const courses = [
    ...coursesFrom(startPoint(graph.limits), graph),
    ...coursesFrom(queuedPoint(graph.limits), graph, isQueued),
  ];
  const names = new Set<string>();
  return courses.filter(({ moves }) => !names.has(nameOf(moves)) && names.add(nameOf(moves)));
}

function coursesFrom(start: Point, graph: Graph, isExplored = (_: Point) => true): Course[] {
  const { paths } = shortestPaths<Point, AgentMove>(start, {
    key: keyOf,
    moves: (point) => (isExplored(point) ? movesAt(point, graph) : []),
    moveKey: ({ words }) => words,
    take: (point, { event }) => {
      const next = take(point, event);
      return next.snapshot === point.snapshot && !next.hasDied ? null : next;
    },
  });
  const chosen = new Map<string, AgentMove[]>();
  for (const { moves, from, end } of paths) {
    const step = `${from.split('\n')[0]} ${moves.at(-1)?.words} ${situationOf(end)}`;
    if (chosen.has(step)) continue;
    const rest = wayOut(end, graph);
    if (rest) chosen.set(step, [...moves, ...rest]);
  }
  return [...chosen.values()].map((moves) => ({ start, moves }));
}

/** Where a path leads from a point: the same as the machine alone does. */
export function take(point: Point, event: PathEvent): Point {
  if (event.type === 'process.died') return { ...point, hasDied: true };
  const [snapshot] = transition(runMachine, point.snapshot as never, event);
  return { ...point, snapshot: snapshot as AnyMachineSnapshot, hasDied: false, ...notesOf(point, event) };
}

/** A run that has begun. */
function startPoint(limits: RunLimits): Point {
  return take(queuedPoint(limits), { type: 'run.start', at: 0 });
}

/** A run that waits behind another one. */
function queuedPoint(limits: RunLimits): Point {
  const [snapshot] = initialTransition(runMachine, { limits });
  const none = new Set<number>();
  return { snapshot, calls: new Map(), asked: none, waiting: none, refused: [], hasDied: false };
}

export function isQueued({ snapshot }: Point): boolean {
  return pathOf(snapshot.value) === 'idle';
}

function notesOf(point: Point, event: RunEvent): Partial<Point> {
  if (event.type === 'tool.asked') return { asked: new Set([...point.asked, event.callId]) };
  // A call that is made again asks again.
  if (event.type === 'tool.uncertain')
    return { asked: new Set([...point.asked].filter((id) => id !== event.effectId)) };
  if (event.type === 'subrun.parked') return { waiting: new Set([...point.waiting, event.callId]) };
  if (event.type === 'subrun.resumed')
    return {
      asked: new Set([...point.asked, event.callId]),
      waiting: new Set([...point.waiting].filter((id) => id !== event.callId)),
    };
  if (event.type !== 'model.done') return {};
  const named = (event as NamedAnswer).named ?? [];
  const added = event.calls.map(({ callId }, i) => [callId, named[i] as GraphCall] as const);
  return {
    calls: new Map([...point.calls, ...added]),
    refused: event.calls.flatMap(({ gate }, i) => (gate === 'refuse' ? [named[i] as GraphCall] : [])),
  };
}

function movesAt(point: Point, graph: Graph): AgentMove[] {
  const { snapshot } = point;
  if (snapshot.status !== 'active') return [];
  const context = snapshot.context as RunContext;
  // Only how such a run ends is of interest.
  const isSpent = context.tokensIn > spentTokens;
  const events: PathEvent[] = [
    ...eventsToTry(snapshot, (next) => answersAt(point, graph, next)),
    { type: 'process.died' },
  ];
  return events
    .flatMap((event) => variantsOf(event, point, graph.fallbacks))
    .flatMap((event): AgentMove[] => {
      const words = wordsOf(event, point, graph.fallbacks);
      return words === null || (isSpent && !isOnward(words)) ? [] : [{ event, words }];
    });
}

/** The ways in which an event can come to be, as the run of this agent has it. */
function variantsOf(event: PathEvent, { calls, snapshot }: Point, fallbacks: number): PathEvent[] {
  const { route, attempt, limits } = snapshot.context as RunContext;
  switch (event.type) {
    case 'tool.done':
    case 'tool.failed': {
      const call = calls.get(event.effectId);
      // The key by which the machine sees that a call is made again.
      const named = { ...event, key: call?.name ?? '' };
      if (event.type === 'tool.failed') return [{ ...named, ...(call?.startsRun && { inside: 'fails' }) }];
      return call?.task?.gate === 'run' ? [named, { ...named, inside: 'calls' }] : [named];
    }
    case 'subrun.resumed':
      return [
        { ...event, inside: 'approve' },
        { ...event, inside: 'reject' },
      ];
    case 'model.switched':
      return [event, { ...event, partial: true }];
    case 'model.failed': {
      const isLast =
        fallbacks > 0 && route === fallbacks && event.error.retryable && attempt >= limits.attempts;
      return isLast ? [{ ...event, error: { ...event.error, code: 'ALL_MODELS_FAILED' } }] : [event];
    }
    default:
      return [event];
  }
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

const onward: readonly ((words: string) => boolean)[] = [
  (words) => words === turnWords,
  (words) => words === 'the run tries again',
  (words) => words === 'the memory is written',
  (words) => words === 'the conversation is summarised',
  (words) => words.endsWith(' asks') && !words.startsWith('the process dies'),
  (words) => words.includes(' asks about '),
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
    c.route,
    point.hasDied,
    [...point.waiting].join('+'),
    c.refused ? 1 : 0,
    c.tokensIn > spentTokens ? 1 : 0,
    ['unfit', 'mends'].includes(c.answer) ? c.answer : '',
    point.refused.map(({ name }) => name).join('+'),
  ];
  return `${situationOf(point)}\n${counters.join(',')}`;
}
