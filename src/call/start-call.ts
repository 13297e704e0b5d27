import type { OneCallInput } from '../../machines/call.setup.ts';
import { onlyCall } from '../../machines/run.types.ts';
import type { Engine } from '../engine/engine.ts';
import type { RunRow } from '../store/rows.ts';
import { type CallOptions, givenCallModel, type RunNeeds } from '../store/run-options.ts';
import { callName } from '../store/stored-call.ts';
import type { AssistantBody } from '../store/stored-message.ts';
import { callMachineId } from '../store/stored-run.ts';
import type { CallHostParts } from './call-host.ts';
import { decidedCall, policyContext, withChartQuestion } from './decide-call.ts';
import { writeMessage } from './messages/write-message.ts';
import type { Store } from './statements.ts';

export interface StartCall {
  runId: string;
  tenant: number;
  sessionId: string;
  limits: OneCallInput['limits'];
  options: Omit<CallOptions, 'machine' | 'tools' | 'needs'>;
  /** The tools that policy lets the call be of; null for all configured ones. Default: the tool of the call. */
  allowed?: readonly string[] | null;
}

interface StartCallParts extends Pick<CallHostParts, 'partsOf' | 'redact'> {
  engine: Pick<Engine, 'create'>;
  /** See `Creation.waitsFor`. */
  waitsFor(head: RunRow): boolean;
  store: Store<'listGrants' | 'findSession'>;
  needs?: ProgramNeeds;
}

/** What runs need that not every program on the database has. Left out where this program has nothing of its own. */
export interface ProgramNeeds {
  /** What a run of a tenant that may use these tools needs of this program; null for nothing. */
  of(allowed: readonly string[] | null, tenant: number): RunNeeds | null;
}

/** The run, and perhaps its session, has no key before it is made. All its taint comes from other runs. */
const noRun = -1;

/**
 * Begins the run of one call: policy decides on the call, and the run is made in one commit, and started if it is the first of
 * its session. Untrusted text of the session does not count: whoever asks for the call has written its arguments.
 *
 * @throws DetentError as the engine does; `Exists` if the run is there, because its id is the key.
 */
export async function startCall(parts: StartCallParts, request: StartCall): Promise<void> {
  const { engine, store, redact } = parts;
  const { runId, tenant, sessionId, limits } = request;
  const { toolbox: all, workspace } = await parts.partsOf(tenant);
  const redacted = <T>(value: T): T => JSON.parse(redact(JSON.stringify(value)));
  const { ask, call: given, ...more } = request.options;
  const call = { ...given, arguments: redact(given.arguments) };
  const { name, arguments: raw, again } = call;
  const needs = parts.needs?.of([name], tenant);
  const options: CallOptions = {
    ...more,
    machine: callMachineId,
    call,
    tools: [name],
    ...(ask && { ask: redacted(ask) }),
    ...(needs && { needs }),
  };
  const toolbox = options.ask ? withChartQuestion(all, options.ask) : all;
  await toolbox.ready([name]);
  const { tainted = [], principal } = options;
  const session = await store.query('findSession', { tenant, key: sessionId });
  const run = { id: runId, pk: noRun, session: session?.pk ?? noRun, sessionKey: sessionId };
  const { allowed = options.tools } = request;
  const planning = { run, options: { ...options, tools: allowed && [...allowed] }, tainted };
  const context = policyContext({ store, workspace }, planning);
  const plan = await toolbox.plan(name, raw, { ...context, preview: { workspace, redact } });
  const decided = await decidedCall(onlyCall, call, plan);
  const input = decided.input && JSON.stringify({ ...decided.input, ...(again && { again }) });
  await engine.create({
    tenant,
    id: runId,
    sessionKey: sessionId,
    user: principal.userId,
    isRepeatable: true,
    waitsFor: parts.waitsFor,
    input: { limits, call: { gate: decided.call.gate, class: decided.call.class } } satisfies OneCallInput,
    options,
    ...(input && { inputs: new Map([[onlyCall, input]]) }),
    *writes(scope) {
      const named = {
        ...{ callId: onlyCall, id: `${runId}.${callName(onlyCall)}`, name, arguments: raw },
        ...{ why: decided.why, ...(decided.input?.asIs && { asIs: true as const }) },
      };
      yield* writeMessage(scope, 'assistant', assistantBody(named, options));
      if (decided.refused) yield* writeMessage(scope, 'tool', decided.refused);
    },
  });
}

/** The message that holds the call in the conversation: an answer of the assistant without cost, since no model wrote it. */
function assistantBody(
  call: AssistantBody['toolCalls'][number],
  { agent, tainted = [] }: Pick<CallOptions, 'agent' | 'tainted'>,
): AssistantBody {
  return {
    effectId: 0,
    upTo: 0,
    provider: givenCallModel(call.name, agent === undefined ? 'workflow' : 'tool'),
    model: call.name,
    text: '',
    reasoning: '',
    refusal: '',
    finish: 'toolCalls',
    finishReason: null,
    usage: null,
    costUsd: null,
    toolCalls: [call],
    error: null,
    ...(tainted.length > 0 && { tainted }),
  };
}
