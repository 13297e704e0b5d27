import { fromPromise, type NonReducibleUnknown, type PromiseActorLogic } from 'xstate';
import { sideEffectClasses } from '../../machines/run.types.ts';
import { DetentError } from '../protocol/error.ts';
import { oneOf, shown } from '../protocol/json.ts';
import type { SideEffect, ToolSchema } from '../protocol/tool.ts';

/** Which failures of a service are tried again, and when. A rejection, an expired question and a wrong input never are. */
export interface RetryPolicy {
  /** Attempts in all, the first one included; 2 to 100. */
  attempts: number;
  /** Milliseconds before the second attempt; default 1,000. */
  delayMs?: number;
  /** By which each further wait is longer; default 2. */
  factor?: number;
  /** The longest wait in milliseconds; default an hour. */
  maxDelayMs?: number;
}

/** What one invocation may spend at most; never more than the workflow has left. */
export interface ServiceLimits {
  maxTokens?: number;
  maxCostUsd?: number;
  /** Milliseconds of work; waiting for people does not count. */
  timeoutMs?: number;
}

interface Common {
  retry?: RetryPolicy;
  limits?: ServiceLimits;
}

export interface AgentService<Input, Output> extends Common {
  /** One of the configured agents. Default: `default`. */
  agent?: string;
  prompt(input: Input): string;
  /** What its last answer must fit; default: it is the text. */
  output?: ToolSchema<Output>;
  /** The only tools of the run, within those of its agent. */
  tools?: readonly string[];
}

export interface ModelService<Input, Output> extends Common {
  /** `provider/model`. Default: the configured one. */
  model?: string;
  system?: string;
  prompt(input: Input): string;
  /** What the answer must fit; an answer that does not is asked for again once. Default: it is the text. */
  output?: ToolSchema<Output>;
}

export interface ToolService<Output> extends Common {
  /** What the result, read as JSON, must fit. Default: the text of the result. */
  output?: ToolSchema<Output>;
}

/** A question to a person. Without `options` and `form` it is to be approved or rejected. */
export interface AskService<Input, Output> {
  question(input: Input): string;
  /** The possible answers; the output is one of them. */
  options?: readonly [string, string, ...string[]];
  /** A flat object of texts, numbers, choices and booleans: the output is the filled-in form. */
  form?: ToolSchema<Output>;
  /** Milliseconds without an answer until the invocation fails with `EXPIRED`; default 7 days. */
  expiresMs?: number;
}

/** The answer to a question that is to be approved or rejected. */
export interface Approval {
  approved: boolean;
  reason?: string;
}

export interface StepContext {
  /** The same for every attempt of an invocation: pass it to the system that the step changes. */
  idempotencyKey: string;
  /** Aborted when the chart leaves the state, the run is cancelled, or the process stops. */
  signal: AbortSignal;
  runId: string;
  /** Marks the output as text from outside, which may be written to mislead models. */
  untrusted(): void;
}

/** What became of a step whose process died. */
export type StepStatus<Output> = { ran: true; output: Output } | { notRan: true } | { unknown: true };

export interface StepService<Input, Output> extends Common {
  /**
   * What a repeat would do. After a crash `readonly` and `idempotent` steps run again under the same key, `status` tells
   * what became of a `probe` step, and of an `unsafe` one a person says it. `retry` repeats by the same rules: it asks
   * `status` first, and an `unsafe` step has none.
   */
  sideEffect: SideEffect;
  /** Returns plain JSON. To fail, throw: `onError` gets `{ code, message }`. */
  run(input: Input, context: StepContext): Output | Promise<Output>;
  /** Only of `probe`. Must change nothing. */
  status?(input: Input, context: StepContext): StepStatus<Output> | Promise<StepStatus<Output>>;
}

/** What performs an invocation, with the types erased. */
export type Service =
  | ({ kind: 'agent' } & AgentService<unknown, unknown>)
  | ({ kind: 'model' } & ModelService<unknown, unknown>)
  | ({ kind: 'tool'; tool: string } & ToolService<unknown>)
  | ({ kind: 'ask' } & AskService<unknown, unknown>)
  | ({ kind: 'step' } & StepService<unknown, unknown>);

/**
 * Actor logic for `setup({ actors })` that Detent performs durably. A plain `createActor` can run a step; for all others
 * `provide` one of your own.
 */
export type ServiceLogic<Output, Input> = PromiseActorLogic<Output, InputOf<Input>> & {
  readonly detent: Service;
};

/** A service whose functions take no input needs none. */
type InputOf<Input> = unknown extends Input ? NonReducibleUnknown : Input;

function logicOf<Output, Input>(service: Service): ServiceLogic<Output, Input> {
  const logic = fromPromise<Output, InputOf<Input>>(async ({ input, signal }) => {
    if (service.kind !== 'step')
      throw new DetentError(
        'NOT_DURABLE',
        `${service.kind === 'agent' || service.kind === 'ask' ? 'an' : 'a'} ${service.kind} service is performed by Detent; under createActor, provide one of your own: machine.provide({ actors })`,
      );
    const context: StepContext = { idempotencyKey: 'live', signal, runId: 'live', untrusted() {} };
    return (await service.run(input, context)) as Output;
  });
  return Object.assign(logic, { detent: Object.freeze(service) });
}

/**
 * A run of an agent, with its own log, under the workflow's run. Its output is its last answer: text, or what `output`
 * says.
 *
 * @throws DetentError `INVALID_SERVICE`.
 */
export function agent<Input, Output = string>(
  service: AgentService<Input, Output>,
): ServiceLogic<Output, Input> {
  checkCommon('agent', service);
  checkFunction('agent', 'prompt', service.prompt);
  return logicOf({ kind: 'agent', ...service } as Service);
}

/**
 * One answer of a model, without tools.
 *
 * @throws DetentError `INVALID_SERVICE`.
 */
export function model<Input, Output = string>(
  service: ModelService<Input, Output>,
): ServiceLogic<Output, Input> {
  checkCommon('model', service);
  checkFunction('model', 'prompt', service.prompt);
  return logicOf({ kind: 'model', ...service } as Service);
}

/**
 * One call of a registered tool, under the tool's own policy: it may ask a person. The input is its arguments.
 *
 * @param name of the tool
 * @throws DetentError `INVALID_SERVICE`.
 */
export function tool<Input, Output = string>(
  name: string,
  service: ToolService<Output> = {},
): ServiceLogic<Output, Input> {
  if (typeof name !== 'string' || name === '')
    throw invalidService('tool', `its name is the name of a registered tool, not ${shown(name)}`);
  checkCommon('tool', service);
  return logicOf({ kind: 'tool', tool: name, ...service } as Service);
}

/**
 * A question to a person: to be approved or rejected, to be answered by one of `options`, or a form to fill in. The run
 * waits for days, in no process.
 *
 * @throws DetentError `INVALID_SERVICE`.
 */
export function ask<Input, Output = Approval>(
  service: AskService<Input, Output>,
): ServiceLogic<Output, Input> {
  checkFunction('ask', 'question', service.question);
  if (service.options && service.form) throw invalidService('ask', 'it has options or a form, not both');
  checkNumber('ask', 'expiresMs', service.expiresMs, 1);
  return logicOf({ kind: 'ask', ...service } as Service);
}

/**
 * A function of yours. Its class decides what happens to it after a crash.
 *
 * @throws DetentError `INVALID_SERVICE`.
 */
export function step<Input, Output>(service: StepService<Input, Output>): ServiceLogic<Output, Input> {
  const { sideEffect, status, run } = service;
  oneOf(sideEffect, sideEffectClasses, 'step: sideEffect', 'INVALID_SERVICE');
  checkFunction('step', 'run', run);
  if ((sideEffect === 'probe') !== (status !== undefined))
    throw invalidService('step', '`status` belongs to sideEffect "probe", and "probe" needs it');
  if (sideEffect === 'unsafe' && service.retry)
    throw invalidService(
      'step',
      'an "unsafe" step has no retry: a step that threw may have run, and only a person has an unsafe one repeated. Leave retry out and take the failure in onError; or declare it "idempotent" if a repeat under its key is harmless, or "probe" if status can tell whether it ran',
    );
  checkCommon('step', service);
  return logicOf({ kind: 'step', ...service } as Service);
}

/** What a chart's actor logic declares; null for logic that is no service. */
export function serviceOf(logic: unknown): Service | null {
  if (typeof logic !== 'object' || logic === null || !('detent' in logic)) return null;
  return logic.detent as Service;
}

function checkCommon(kind: string, { retry, limits }: Common): void {
  if (retry) {
    const { attempts, delayMs, factor, maxDelayMs } = retry;
    if (!Number.isInteger(attempts) || attempts < 2 || attempts > 100)
      throw invalidService(kind, `retry.attempts is a whole number of 2 to 100, not ${shown(attempts)}`);
    checkNumber(kind, 'retry.delayMs', delayMs, 0);
    checkNumber(kind, 'retry.factor', factor, 1);
    checkNumber(kind, 'retry.maxDelayMs', maxDelayMs, 0);
  }
  if (!limits) return;
  checkNumber(kind, 'limits.maxTokens', limits.maxTokens, 1);
  checkNumber(kind, 'limits.maxCostUsd', limits.maxCostUsd, 0);
  checkNumber(kind, 'limits.timeoutMs', limits.timeoutMs, 1);
}

function checkNumber(kind: string, field: string, value: unknown, least: number): void {
  if (value === undefined || (typeof value === 'number' && Number.isFinite(value) && value >= least)) return;
  throw invalidService(kind, `${field} is a number of ${least} or more, not ${shown(value)}`);
}

function checkFunction(kind: string, field: string, value: unknown): void {
  if (typeof value !== 'function') throw invalidService(kind, `${field} is a function of the input`);
}

function invalidService(kind: string, why: string): DetentError {
  return new DetentError('INVALID_SERVICE', `${kind}: ${why}`);
}
