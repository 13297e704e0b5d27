import type { RunContext } from '../../machines/run.types.ts';
import type { EffectJob, Fact } from '../engine/machine-host.ts';
import { ask } from '../engine/statements.ts';
import { messageOf } from '../protocol/error.ts';
import { type CallInput, callKey } from './call-input.ts';
import { preview } from './fit.ts';
import { writeMessage } from './message-rows.ts';
import type { ToolBody } from './messages.ts';
import { namedParts, partsField, writeParts } from './parts.ts';
import type { RunOptions } from './run-options.ts';
import type { AgentServices } from './services.ts';
import type { ToolContext } from './tool.ts';
import type { ToolOutcome } from './toolbox.ts';

/** Output beyond this many characters becomes an artifact, with a preview in the prompt. */
const maxOutput = 50_000;
const previewChars = 2_500;
/** What of an output is kept at all. */
const maxArtifact = 16_000_000;

/** Performs `effect.runTool`: one attempt at one call. */
export async function act(services: AgentServices, job: EffectJob): Promise<Fact> {
  const { effectId } = job;
  const input = JSON.parse(job.input ?? 'null') as CallInput | null;
  if (!input) throw new Error(`call ${effectId} has no input`);
  const ctx = toolContext(services, job, input);
  if (job.interrupted && classOf(job.context as RunContext, effectId) === 'probe') {
    const status = await services.toolbox.status(input.name, input.arguments, ctx);
    if (status === null) return uncertain(effectId);
    if (status !== 'notRan') return settled(services, job, input, status);
  }
  return settled(services, job, input, await services.toolbox.run(input.name, input.arguments, ctx));
}

/** Whether a repeat is harmless, or can be found out; else a person must say what became of the call. */
export function recoverCall(effectId: number, context: RunContext): 'perform' | 'uncertain' {
  return classOf(context, effectId) === 'unsafe' ? 'uncertain' : 'perform';
}

export function uncertain(effectId: number): Fact {
  return { event: { type: 'tool.uncertain', effectId }, settleAs: 'uncertain' };
}

/** A defect of ours, not of the tool: the toolbox turns a tool's own throw into an outcome. */
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

function classOf(context: RunContext, effectId: number) {
  return context.pending.find((call) => call.id === effectId)?.class ?? 'unsafe';
}

function toolContext(
  { redact }: AgentServices,
  { run, effectId, idempotencyKey, signal, signalWatchers }: EffectJob,
  { preview: shownBefore }: CallInput,
): ToolContext {
  const { principal, workspace } = JSON.parse(run.options) as RunOptions;
  return {
    runId: run.id,
    sessionId: run.sessionKey,
    callId: callName(effectId),
    idempotencyKey,
    principal,
    workspace,
    ...(shownBefore?.version !== undefined && { previewed: shownBefore.version }),
    signal,
    log: (message, details) =>
      signalWatchers({ type: 'log', ...JSON.parse(redact(JSON.stringify({ message, details }))) }),
    progress: (message) => signalWatchers({ type: 'progress', message: redact(String(message)) }),
  };
}

/** A call's number as people and programs see it. */
export function callName(callId: number): string {
  return `c${callId}`;
}

function settled(
  services: AgentServices,
  { effectId, run }: EffectJob,
  input: CallInput,
  outcome: ToolOutcome,
): Fact {
  const { isError, code } = outcome;
  const key = callKey(input.name, input.arguments);
  // Before it is cut: half a secret would not be known as one.
  const text = services.redact(outcome.text);
  const artifact = text.length > maxOutput ? services.newId() : null;
  const parts = namedParts(outcome.parts ?? [], services.newId);
  const shown = artifact
    ? `${preview(text, previewChars)}\n[The whole output, ${text.length} characters, is kept as artifact ${artifact}.]`
    : text;
  const body: ToolBody = {
    callId: effectId,
    // The model sees its own arguments in the conversation, so it must be told that others were used.
    text: input.modified ? `[The user changed the arguments to ${input.arguments}]\n${shown}` : shown,
    isError,
    code,
    status: isError ? 'failed' : 'done',
    ...(artifact && { artifact }),
    ...partsField(parts),
  };
  return {
    event: isError
      ? { type: 'tool.failed', effectId, code: code ?? 'TOOL_FAILED', key }
      : { type: 'tool.done', effectId, key },
    *writes(scope) {
      yield* writeMessage(scope, 'tool', body);
      yield* writeParts(scope, parts);
      if (artifact)
        yield* ask('insertArtifact', {
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
