import { replay } from '../../engine/log.ts';
import { defaultTenant as tenant } from '../../protocol/access.ts';
import { DetentError, messageOf } from '../../protocol/error.ts';
import { checkRequest } from '../../runtime/requests.ts';
import { AgentConductor } from './agent-conductor.ts';
import {
  type AgentMove,
  agentMoves,
  type GraphCall,
  type NamedAnswer,
  nameOf,
  situationOf,
  startPoint,
  take,
} from './agent-graph.ts';
import type { AgentPath, AgentPathResult, AgentPathsOptions, SampleCall } from './agent-path.ts';
import { scriptedCost } from './run-events.ts';

/** See `agentPaths`. */
export async function pathsOf(given: AgentPathsOptions): Promise<AgentPath[]> {
  const { options = {}, request = {}, calls = [], maxPaths = 300, only } = given;
  const { start } = checkRequest({ ...request, model: 'demo/demo' }, options);
  const hasOutput = start.options.output !== undefined;
  if (hasOutput && given.answer === undefined)
    throw new DetentError(
      'INVALID_SAMPLE',
      'the agent has an output schema: give "answer" a value that fits it',
    );
  const answers = await triedAnswers(given, calls);
  const all = agentMoves({ limits: start.limits, hasOutput, answers })
    .map((moves) => ({ moves, name: nameOf(moves) }))
    .toSorted((a, b) => a.moves.length - b.moves.length);
  const isPrefix = (name: string) => all.some((other) => other.name.startsWith(`${name}, `));
  const names = only === undefined ? null : [only].flat();
  return all
    .filter(({ name }) => (names ? names.includes(name) : !isPrefix(name)))
    .slice(0, maxPaths)
    .map(({ moves, name }) => ({
      name,
      steps: moves.map(({ words }) => words),
      run: (check) => named(name, () => lead(given, moves, start.limits, check)),
    }));
}

/** What policy says of each call, alone and together with the others: it is asked before any path is led. */
async function triedAnswers(given: AgentPathsOptions, calls: readonly SampleCall[]): Promise<GraphCall[][]> {
  const lists = calls.length > 1 ? [...calls.map((call) => [call]), calls] : calls.map((call) => [call]);
  if (lists.length === 0) return [];
  const conductor = await AgentConductor.open(given);
  try {
    const tried: GraphCall[][] = [];
    for (const list of lists) tried.push(await decided(conductor, list));
    return tried;
  } finally {
    await conductor.close();
  }
}

async function decided(conductor: AgentConductor, list: readonly SampleCall[]): Promise<GraphCall[]> {
  await conductor.begin({ hasPast: false });
  const { context } = await conductor.look();
  const sample = ({ name }: SampleCall): GraphCall => ({
    name,
    gate: 'run',
    class: 'unsafe',
    isByPolicy: true,
    asks: false,
    mayChange: false,
  });
  await conductor.play({
    type: 'model.done',
    at: 0,
    effectId: context.awaiting ?? 0,
    finish: 'toolCalls',
    text: false,
    calls: [],
    cost: scriptedCost,
    named: list.map(sample),
  } as NamedAnswer);
  const { pk, seq } = await conductor.row();
  const [event] = await conductor.core.store.query('listEvents', { run: pk, after: seq - 1, limit: 1 });
  const { calls } = JSON.parse(event?.body ?? '{}') as NamedAnswer;
  await conductor.core.runs.cancel(tenant, (await conductor.row()).id);
  return list.map(({ name, answer, change }, i) => ({
    name,
    gate: calls[i]?.gate ?? 'refuse',
    class: calls[i]?.class ?? 'readonly',
    isByPolicy: calls[i]?.byPolicy ?? false,
    asks: answer !== undefined,
    mayChange: change !== undefined,
  }));
}

async function lead(
  given: AgentPathsOptions,
  moves: readonly AgentMove[],
  limits: Parameters<typeof startPoint>[0],
  check: (result: AgentPathResult) => unknown = () => {},
): Promise<AgentPathResult> {
  const conductor = await AgentConductor.open(given);
  try {
    await conductor.begin({ hasPast: moves.some(({ event }) => event.type === 'context.tooBig') });
    let point = startPoint(limits);
    for (const { event, words } of moves) {
      point = take(point, event);
      await conductor.play(event).catch((error: unknown) => left(words, messageOf(error)));
      const { path, context } = await conductor.look();
      const [is, expected] = [situationOf(point, path, context), situationOf(point)];
      if (is.trim() !== expected.trim())
        left(words, `the run is in "${is.trim()}", and the path in "${expected.trim()}"`);
    }
    const { store, hosts } = conductor.core;
    const row = await conductor.row();
    const log = await store.query('listEvents', { run: row.pk, after: 0, limit: 100_000 });
    const { diverged } = replay(hosts, row, log);
    if (diverged) left('its end', `the log does not lead there: ${JSON.stringify(diverged)}`);
    const result = { ...(await conductor.view()), performed: conductor.performed };
    await check(result);
    return result;
  } finally {
    await conductor.close();
  }
}

function left(words: string, why: string): never {
  throw new DetentError('PATH_LEFT', `after "${words}": ${why}`);
}

/** What fails on a path says on which, and keeps all else that a test runner shows of it. */
async function named<T>(name: string, act: () => Promise<T>): Promise<T> {
  try {
    return await act();
  } catch (error) {
    if (error instanceof Error)
      error.message = `${error.message}\non the path "${name}"; to repeat it alone: agentPaths({ …, only: ${JSON.stringify(name)} })`;
    throw error;
  }
}
