import type { Fact } from '../engine/machine.ts';
import { messageOf } from '../protocol/error.ts';
import type { ToolOutcome } from '../protocol/ports.ts';
import type { Charge, SideEffect, ToolContext } from '../protocol/tool.ts';
import { type CallInput, callKey, callName, changedNote } from '../store/stored-call.ts';
import type { ToolBody } from '../store/stored-message.ts';
import { randomId } from '../text/ids.ts';
import type { CallJob, CallServices } from './decide-call.ts';
import { namedParts, partsField, preview, writeMessage, writeParts } from './messages/write-message.ts';
import { askerOf } from './perform/ask-person.ts';
import { afterTool, beforeTool, planAgain } from './perform/tool-hooks.ts';
import { approvalNow, isDecidedInFork, principalNow } from './policy.ts';
import { tell } from './statements.ts';

/** Output beyond this many characters becomes an artifact, with a preview in the prompt. */
const maxOutput = 50_000;
const previewChars = 2_500;
/** Maximum of an output that Detent stores. */
const maxArtifact = 16_000_000;
/** Maximum of each amount that one `ctx.charge` counts. A larger or invalid amount counts as 0. */
const maxCharge = 1e9;

/** Performs `effect.runTool`: one attempt at one call. */
export async function performCall(services: CallServices, asked: CallJob): Promise<Fact> {
  const { effectId } = asked;
  const job = await asNow(services, asked);
  const input = JSON.parse(job.input ?? 'null') as CallInput | null;
  if (!input) throw new Error(`call ${effectId} has no input`);
  const spent = new Spending();
  if (input.client) {
    spent.untrusted();
    return settled(services, job, input, await afterTool(services, job, input, givenBy(input)), spent);
  }
  if (input.again && (await mustAskAgain(services, job, input))) return uncertain(effectId);
  const ctx = toolContext(services, job, input, spent);
  if (job.interrupted && classOf(job.context, effectId) === 'probe') {
    const status = await services.toolbox.status(input.name, input.arguments, ctx);
    if (status === null) return uncertain(effectId);
    if (status !== 'notRan')
      return settled(services, job, input, await afterTool(services, job, input, status), spent);
  }
  const prepared = await beforeTool(services, job, input, classOf(job.context, effectId));
  if ('outcome' in prepared) return settled(services, job, input, prepared.outcome, spent);
  const ready = prepared.input;
  const outcome = await services.toolbox.run(ready.name, ready.arguments, ctx);
  return settled(services, job, ready, await afterTool(services, job, ready, outcome), spent);
}

/**
 * The approval that the run's request gave may have been withdrawn since its driver took it, and its session may have gone over to
 * another user.
 */
async function asNow({ store }: CallServices, job: CallJob): Promise<CallJob> {
  const { run, options } = job;
  const principal = await principalNow(store, run, options.principal);
  if (!options.approveGiven && principal === options.principal) return job;
  const { approveGiven: _, ...kept } = options;
  return { ...job, options: { ...kept, principal, ...(await approvalNow(store, run, options)) } };
}

/**
 * Whether a call that a fork makes again needs a person first: an approval in the original holds only there. For a
 * workflow's call only its chart decides, and the chart has moved past the call.
 */
async function mustAskAgain(services: CallServices, job: CallJob, input: CallInput): Promise<boolean> {
  const { run, effectId, options } = job;
  if (options.approveGiven || (await isDecidedInFork(services.store, run, effectId))) return false;
  const held = classOf(job.context, effectId);
  if (held === 'unsafe' || (options.call && held !== 'readonly')) return true;
  return (await planAgain(services, job, input)).gate !== 'run';
}

/** What the caller of the run gave as the result of its own tool. No `beforeTool` hook sees the call: the caller made it. */
function givenBy({ result }: CallInput): ToolOutcome {
  if (!result) return { isError: true, code: 'NO_RESULT', text: 'The client gave no result.' };
  const { text, isError = false } = result;
  return { isError, code: isError ? 'TOOL_FAILED' : null, text };
}

/** A call's spending on models, and its declarations about its result. */
class Spending {
  #total: Charge | null = null;
  #isUntrusted = false;

  readonly charge = ({ inputTokens, outputTokens, costUsd }: Charge): void => {
    const known = this.#total?.costUsd ?? null;
    this.#total = {
      inputTokens: (this.#total?.inputTokens ?? 0) + amountOf(inputTokens, maxCharge),
      outputTokens: (this.#total?.outputTokens ?? 0) + amountOf(outputTokens, maxCharge),
      costUsd: costUsd === null ? known : (known ?? 0) + amountOf(costUsd, maxCharge),
    };
  };

  readonly untrusted = (): void => {
    this.#isUntrusted = true;
  };

  /** For the row of the result. */
  get mark(): { untrusted?: true } {
    return this.#isUntrusted ? { untrusted: true } : {};
  }

  /** For the fact of the call. */
  get cost(): { cost?: Charge } {
    return this.#total ? { cost: this.#total } : {};
  }
}

/** Whether a repeat is harmless, or `status` can tell the outcome; otherwise a person must say what became of the call. */
export function recoverCall(effectId: number, context: CallJob['context']): 'perform' | 'uncertain' {
  return repeatable.includes(classOf(context, effectId)) ? 'perform' : 'uncertain';
}

const repeatable: readonly SideEffect[] = ['readonly', 'idempotent', 'probe'];

export function uncertain(effectId: number): Fact {
  return { event: { type: 'tool.uncertain', effectId }, settleAs: 'uncertain' };
}

/** An internal error: the toolbox turns a tool's own throw into an outcome. */
export function brokenCall(effectId: number, error: unknown): Fact {
  const text = `the call could not be made: ${messageOf(error)}`;
  return {
    event: { type: 'tool.failed', effectId, code: 'INTERNAL', key: callKey('', text) },
    writes: (scope) =>
      writeMessage(scope, 'tool', {
        callId: effectId,
        text,
        isError: true,
        code: 'INTERNAL',
        status: 'failed',
      }),
  };
}

function classOf(context: CallJob['context'], effectId: number): SideEffect {
  return context.pending.find((call) => call.id === effectId)?.class ?? 'unsafe';
}

function toolContext(
  services: CallServices,
  job: CallJob,
  { preview: shownBefore, answer, guarded, hash }: CallInput,
  { charge, untrusted }: Spending,
): ToolContext {
  const { redact, workspace, tasks } = services;
  const { run, effectId, idempotencyKey, signal, signalWatchers } = job;
  const { principal, approve, approveGiven, call } = job.options;
  return {
    runId: run.id,
    sessionId: run.sessionKey,
    callId: callName(effectId),
    idempotencyKey: call?.idempotencyKey ?? idempotencyKey,
    // A copy, because a tool may change its input. For small values JSON is faster than structuredClone.
    principal: JSON.parse(JSON.stringify(principal)),
    workspace,
    ...(shownBefore?.version !== undefined && { previewed: shownBefore.version }),
    mayWriteGuarded: (approve === 'all' && approveGiven === true) || (guarded === true && hash !== ''),
    ...(answer !== undefined && { answer }),
    ask: askerOf(services, job),
    ...(tasks && { task: tasks.perform }),
    signal,
    charge,
    untrusted,
    log: (message, details) =>
      signalWatchers({ type: 'log', ...JSON.parse(redact(JSON.stringify({ message, details }))) }),
    progress: (message) => signalWatchers({ type: 'progress', message: redact(String(message)) }),
  };
}

function settled(
  services: CallServices,
  { effectId, run, options }: CallJob,
  input: CallInput,
  outcome: ToolOutcome,
  { cost, mark }: Spending,
): Fact {
  const { isError, code } = outcome;
  const key = callKey(input.name, input.hooked?.arguments ?? input.arguments);
  // Redact before cutting: half a secret would not be recognized.
  const text = services.redact(outcome.text);
  const artifact = text.length > maxOutput ? randomId('art') : null;
  const parts = namedParts(outcome.parts ?? []);
  const shown = artifact
    ? `${preview(text, previewChars)}\n[The whole output, ${text.length} characters, is kept as artifact ${artifact}.]`
    : text;
  // The note is for a model, and no model reads the result of a given call.
  const note = options.call ? '' : changedNote(input);
  const body: ToolBody = {
    callId: effectId,
    text: `${note}${shown}`,
    isError,
    code,
    status: isError ? 'failed' : 'done',
    ...mark,
    ...(artifact && { artifact }),
    ...(input.hooked && { changed: { by: input.hooked.by, arguments: input.arguments } }),
    ...partsField(parts),
    ...(outcome.data && { data: JSON.parse(services.redact(JSON.stringify(outcome.data))) }),
  };
  return {
    event: isError
      ? { type: 'tool.failed', effectId, code: code ?? 'TOOL_FAILED', key, ...cost }
      : { type: 'tool.done', effectId, key, ...cost },
    *writes(scope) {
      yield* writeMessage(scope, 'tool', body);
      yield* writeParts(scope, parts);
      if (artifact)
        yield* tell('insertArtifact', {
          tenant: run.tenant,
          id: artifact,
          run: run.pk,
          mime: 'text/plain',
          encoding: 'utf8',
          body: text.slice(0, maxArtifact),
          createdAt: scope.at,
        });
    },
  };
}

/** An amount of tokens or money that can be added up; anything else is 0. */
function amountOf(value: unknown, max: number): number {
  return typeof value === 'number' && value >= 0 && value <= max ? value : 0;
}
