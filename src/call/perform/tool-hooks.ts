import { type SideEffectClass, sideEffectClasses } from '../../../machines/run.types.ts';
import { isObject, type JsonObject, parseJson } from '../../protocol/json.ts';
import type { CallPlan, StartingToolCall, ToolOutcome } from '../../protocol/ports.ts';
import type { CallInput } from '../../store/stored-call.ts';
import { type CallJob, type CallServices, policyContext } from '../decide-call.ts';
import { describeStop, hasHooks, hookedRun, runHooks } from '../hooks.ts';
import { taintAtCall } from '../policy.ts';
import { ask } from '../statements.ts';

/** The call to make, or the result that it gets instead. */
type Prepared = { input: CallInput } | { outcome: ToolOutcome };

/**
 * Calls the `beforeTool` hooks of a call that policy and people have allowed.
 *
 * Rewritten arguments go through validation and policy again. They are refused if a person would have to approve them, or
 * if a repeat would be more harmful than the machine's class of the call. They are stored before the tool runs, so that a
 * repeat after a crash uses the same ones and calls no hook.
 *
 * @param held the machine's class of the call
 */
export async function beforeTool(
  services: CallServices,
  job: CallJob,
  input: CallInput,
  held: SideEffectClass,
): Promise<Prepared> {
  const { hooks, redact } = services;
  if (input.hooked) job.notes.hooks.push(...input.hooked.records);
  if (!hasHooks(hooks, 'beforeTool') || input.hooked) return { input };
  const shown = redact(input.arguments);
  const { value, rewrittenBy, stopped, records } = await runHooks<JsonObject>(
    hooks,
    'beforeTool',
    job.signal,
    {
      value: argumentsIn(shown),
      viewOf: (args) => callView(job, input, args),
      noted: (_, args) => ({ arguments: JSON.stringify(args) }),
    },
  );
  job.notes.hooks.push(...records);
  if (stopped) return refused(stopped.code, `Not run: ${describeStop(stopped)}`);
  if (rewrittenBy === null) return { input };
  if (shown !== input.arguments)
    return unusable(rewrittenBy, 'the arguments of the call contain a secret, which hooks never see');
  const raw = JSON.stringify(value);
  const why = await whyUnusable(services, job, { input, raw, held });
  if (why !== null) return unusable(rewrittenBy, why);
  const hooked = { by: rewrittenBy, arguments: input.arguments, records: [...records] };
  const rewritten: CallInput = { ...input, arguments: raw, hooked };
  await keepRewritten(services, job, rewritten);
  return { input: rewritten };
}

/** Calls the `afterTool` hooks, which may replace the text of the result. */
export async function afterTool(
  { hooks, redact }: CallServices,
  job: CallJob,
  input: CallInput,
  outcome: ToolOutcome,
): Promise<ToolOutcome> {
  if (!hasHooks(hooks, 'afterTool')) return outcome;
  const { isError, code } = outcome;
  const args = argumentsIn(redact(input.arguments));
  const { value, stopped, records } = await runHooks(hooks, 'afterTool', job.signal, {
    value: redact(outcome.text),
    viewOf: (text) => ({ ...callView(job, input, structuredClone(args)), text, isError, code }),
    noted: (before, after) => ({ chars: [before.length, after.length] }),
  });
  job.notes.hooks.push(...records);
  if (!stopped) return { ...outcome, text: value };
  const text = `The call was made, but its result is withheld: ${describeStop(stopped)}`;
  return { isError: true, code: stopped.code, text };
}

/** What policy says about a call as it is about to be made. */
export async function planAgain(
  services: CallServices,
  { run, options, effectId }: CallJob,
  { name, arguments: raw }: Pick<CallInput, 'name' | 'arguments'>,
): Promise<CallPlan> {
  const tainted = await taintAtCall(services.store, run, effectId);
  return services.toolbox.plan(name, raw, policyContext(services, { run, options, tainted }));
}

async function whyUnusable(
  services: CallServices,
  job: CallJob,
  { input, raw, held }: { input: CallInput; raw: string; held: SideEffectClass },
): Promise<string | null> {
  if (input.hash !== '') return 'a person has approved the call with its original arguments';
  const plan = await planAgain(services, job, { name: input.name, arguments: raw });
  if (plan.gate === 'refuse') return plan.text;
  if (plan.gate === 'ask') return `a person would have to approve them (${plan.why})`;
  if (sideEffectClasses.indexOf(plan.sideEffect) <= sideEffectClasses.indexOf(held)) return null;
  return `they make the call ${plan.sideEffect}, and it was planned as ${held}`;
}

async function keepRewritten(
  { store }: CallServices,
  { run, effectId }: CallJob,
  input: CallInput,
): Promise<void> {
  const kept = await store.commit(function* () {
    const effect = yield* ask('findEffect', { run: run.pk, n: effectId });
    // Another driver took the run over, or the run ended, so the call is no longer ours.
    if (effect?.status !== 'started' || effect.fence !== run.fence) return false;
    yield* ask('changeEffectInput', { run: run.pk, n: effectId, input: JSON.stringify(input) });
    return true;
  });
  if (!kept) throw new Error('the call no longer belongs to this process');
}

function callView(
  { run, options, effectId }: CallJob,
  { name }: CallInput,
  args: JsonObject,
): StartingToolCall {
  return { ...hookedRun(run, options), callId: `c${effectId}`, tool: name, arguments: args };
}

function argumentsIn(raw: string): JsonObject {
  const parsed = parseJson(raw);
  return isObject(parsed) ? (parsed as JsonObject) : {};
}

function refused(code: string, text: string): Prepared {
  return { outcome: { isError: true, code, text } };
}

function unusable(by: string, why: string): Prepared {
  return refused(
    'HOOK_FAILED',
    `Not run: the hook "${by}" changed the arguments, and they cannot be used: ${why}`,
  );
}
