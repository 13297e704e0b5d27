import type { AnswerCall } from '../../../machines/run.types.ts';
import { defaultTenant as tenant } from '../../protocol/access.ts';
import { DetentError, messageOf } from '../../protocol/error.ts';
import { checkRequest } from '../../runtime/requests.ts';
import { didYouMean } from '../../text/wording.ts';
import { failedOn } from '../shortest-paths.ts';
import { AgentConductor, startsRun } from './agent-conductor.ts';
import { agentCourses, type Course, isQueued, nameOf, situationOf, take } from './agent-graph.ts';
import type { AgentPath, AgentPathResult, AgentPathsOptions, SampleCall } from './agent-path.ts';
import type { GraphCall, NamedAnswer } from './point.ts';
import { scriptedCost } from './run-events.ts';

/** See `agentPaths`. */
export async function pathsOf(given: AgentPathsOptions): Promise<AgentPath[]> {
  const { maxPaths = 300, only } = given;
  const conductor = await AgentConductor.open(given);
  const { start, answers } = await tried(conductor, given).finally(() => conductor.close());
  const hasOutput = start.options.output !== undefined;
  const fallbacks = start.options.fallbacks?.length ?? 0;
  const all = agentCourses({ limits: start.limits, hasOutput, answers, fallbacks })
    .map((course) => ({ ...course, name: nameOf(course.moves) }))
    .toSorted((a, b) => a.moves.length - b.moves.length);
  const isPrefix = (name: string) => all.some((other) => other.name.startsWith(`${name}, `));
  const names = only === undefined ? null : [only].flat();
  const gone = names?.find((name) => !all.some((course) => course.name === name));
  if (gone !== undefined)
    throw new DetentError(
      'INVALID_SAMPLE',
      `"only" has ${JSON.stringify(gone)}, which is none of the ${all.length} paths: without "only" you get all, with their names`,
    );
  return all
    .filter(({ name }) => (names ? names.includes(name) : !isPrefix(name)))
    .slice(0, maxPaths)
    .map(({ name, ...course }) => ({
      name,
      steps: course.moves.map(({ words }) => words),
      run: (check) => withPathName(name, () => lead(given, course, check)),
    }));
}

/** What a run begins with, and what policy says of each call, alone and together with the others, before any path is led. */
async function tried(conductor: AgentConductor, { request = {}, answer, calls = [] }: AgentPathsOptions) {
  const { start } = checkRequest(request, conductor.options);
  if (start.options.output !== undefined && answer === undefined)
    throw new DetentError(
      'INVALID_SAMPLE',
      'the agent has an output schema: give "answer" a value that fits it',
    );
  await refuseUnknownTools(conductor, calls, request.clientTools ?? []);
  const answers: GraphCall[][] = [];
  for (const list of calls.length > 1 ? [...calls.map((call) => [call]), calls] : calls.map((call) => [call]))
    answers.push(await decided(conductor, list));
  return { start, answers };
}

/** A call of no tool is refused on each path, which a test of what the agent must not do takes for good. */
async function refuseUnknownTools(
  { core: { toolbox } }: AgentConductor,
  calls: readonly SampleCall[],
  clientTools: readonly { name: string }[],
): Promise<void> {
  await toolbox.ready(null);
  const known = [...toolbox.views(), ...clientTools].map(({ name }) => name);
  for (const { name } of calls.flatMap((call) => [call, ...(call.inside ? [call.inside] : [])])) {
    if (known.includes(name)) continue;
    throw new DetentError(
      'INVALID_SAMPLE',
      `"calls" has the tool ${JSON.stringify(name)}, which the agent does not have${didYouMean(name, known)}; it has ${known.join(', ')}`,
    );
  }
}

async function decided(conductor: AgentConductor, list: readonly SampleCall[]): Promise<GraphCall[]> {
  await conductor.begin({});
  const { context } = await conductor.look();
  const sample = (call: SampleCall): GraphCall => ({
    name: call.name,
    gate: 'run',
    class: 'unsafe',
    isByPolicy: true,
    asks: false,
    mayChange: false,
    task: null,
    startsRun: startsRun(call),
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
  const { calls } = await lastAnswer(conductor, (await conductor.row()).id);
  const tried: GraphCall[] = [];
  for (const [i, call] of list.entries())
    tried.push({
      ...sample(call),
      gate: calls[i]?.gate ?? 'refuse',
      class: calls[i]?.class ?? 'readonly',
      isByPolicy: calls[i]?.byPolicy ?? false,
      asks: call.answer !== undefined,
      mayChange: call.change !== undefined,
      // Alone, as no call before it is in the way.
      task: call.inside && list.length === 1 ? await decidedInside(conductor, call, calls[0]) : null,
    });
  await conductor.core.runs.cancel(tenant, (await conductor.row()).id);
  return tried;
}

/** What policy says of the call that the run of a call makes. */
async function decidedInside(
  conductor: AgentConductor,
  sample: SampleCall,
  call: AnswerCall | undefined,
): Promise<GraphCall['task']> {
  if (!call || call.gate === 'refuse') return null;
  const { callId } = call;
  if (call.gate === 'ask')
    await conductor.play({ type: 'confirm.decide', at: 0, callId, verdict: 'approve' });
  const child = await conductor.startInside(callId, sample);
  const [inner] = (await lastAnswer(conductor, child)).calls;
  return {
    name: sample.inside?.name ?? '',
    gate: inner?.gate ?? 'refuse',
    class: inner?.class ?? 'readonly',
  };
}

async function lastAnswer({ core }: AgentConductor, runId: string): Promise<{ calls: AnswerCall[] }> {
  const { pk } = await core.runs.row(tenant, runId);
  const log = await core.store.query('listEvents', { run: pk, after: 0, limit: 100 });
  return JSON.parse(log.findLast(({ type }) => type === 'model.done')?.body ?? '{"calls":[]}');
}

async function lead(
  given: AgentPathsOptions,
  { start, moves }: Course,
  check: (result: AgentPathResult) => unknown = () => {},
): Promise<AgentPathResult> {
  const conductor = await AgentConductor.open(given);
  try {
    const hasPast = moves.some(({ event }) => event.type === 'context.tooBig');
    await conductor.begin({ hasPast, isQueued: isQueued(start) });
    let point = start;
    for (const { event, words } of moves) {
      point = take(point, event);
      await conductor.play(event).catch((error: unknown) => left(words, messageOf(error)));
      const { path, context } = await conductor.look();
      const [is, expected] = [situationOf(point, path, context), situationOf(point)];
      if (is.trim() !== expected.trim())
        left(words, `the run is in "${is.trim()}", and the path in "${expected.trim()}"`);
    }
    const result = { ...(await conductor.view()), performed: conductor.performed };
    await check(result);
    const verdicts = moves.flatMap(({ event }) => (event.type === 'tool.reconcile' ? [event.verdict] : []));
    const broken = await conductor.broken(point.calls.values(), verdicts);
    if (broken) throw new DetentError('PATH_BROKEN', `at the end: ${broken}`);
    return result;
  } finally {
    await conductor.close();
  }
}

function left(words: string, why: string): never {
  throw new DetentError('PATH_LEFT', `after "${words}": ${why}`);
}

async function withPathName<T>(name: string, act: () => Promise<T>): Promise<T> {
  const quoted = JSON.stringify(name);
  try {
    return await act();
  } catch (error) {
    throw failedOn(`${quoted}; to repeat it alone: agentPaths({ …, only: ${quoted} })`, error);
  }
}
