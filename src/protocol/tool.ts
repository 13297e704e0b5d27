import { type SideEffectClass, sideEffectClasses } from '../../machines/run.types.ts';
import { type Decider, deciders } from './enums.ts';
import { DetentError } from './error.ts';
import { isObject, type JsonObject, oneOf, refuseUnknownFields, shown } from './json.ts';
import type { FollowedSkill } from './ports/skill-source.ts';
import type { Answer, QuestionView } from './views.ts';

export { type ClientResult, type ClientTool, clientPerforms } from './tool/client-tool.ts';
export { type ArgumentsOf, closed, ownArguments } from './tool/own-arguments.ts';

/** Name of the tool that starts sub-runs. */
export const taskName = 'task';

/** A task that a model gives to a sub-run. */
export interface TaskRequest {
  prompt: string;
  /** One of the configured agents; default: the parent's. */
  agent?: string | undefined;
  /** The only tools of the sub-run, within the parent's tools. */
  tools?: string[] | undefined;
  maxSteps?: number | undefined;
}

/**
 * What a repeat of a call would do, which decides what happens to it after a crash:
 * `readonly` and `idempotent` calls run again under the same key, the tool's `status` tells what became of `probe` calls,
 * and `unsafe` ones wait for a person.
 */
export type SideEffect = SideEffectClass;

/** The user of the call; comes from the token or the host, never from the model. */
export interface Principal {
  tenantId: number;
  userId: string | null;
  claims: JsonObject;
}

export interface ToolContext {
  runId: string;
  sessionId: string;
  /** Unique in the run. */
  callId: string;
  /** The same for every attempt of this call: pass it to the system that the tool changes. */
  idempotencyKey: string;
  principal: Principal;
  /** Absolute path of the folder that file tools are confined to: that of the tenant. Null when the tenant has none. */
  workspace: string | null;
  /**
   * The `version` of the preview ({@link ToolDefinition.preview}) that a person saw when approving this call; undefined
   * when there was no preview.
   */
  previewed?: string;
  /**
   * Whether the call may write files by which something can be made to execute, such as `.git/hooks`: a person approved
   * this call for that, or requested `approve: 'all'` for this run.
   */
  mayWriteGuarded?: boolean;
  /** A person's answer to {@link ToolDefinition.question}; never from the model. */
  answer?: Answer;
  /**
   * Asks a person while the call runs, and waits without a timeout; the call's own timeout pauses meanwhile. Questions of
   * one call come one after the other. If the process dies, the class of the call decides, and a repeated call finds its
   * earlier answers. Undefined when the host has no people to ask.
   */
  ask?(question: QuestionView): Promise<PersonAnswer>;
  /** Aborted on timeout and cancel. */
  signal: AbortSignal;
  /** Counts what the call spends on models towards the limits of the run; calls add up. */
  charge(cost: Charge): void;
  /** Marks the result of this call as untrusted text, as {@link ToolDefinition.untrusted} does for a tool. */
  untrusted?(): void;
  /**
   * Only for the tool that hands tasks on: performs one in a sub-run, for the call of this context, and resolves with its last answer.
   * Rejects with its failure.
   */
  task?(request: TaskRequest, ctx: ToolContext): Promise<string>;
  /** Only for the tool that loads skills. */
  skills?: {
    /** The skills that the run may use; null = all that are configured. */
    allowed: readonly string[] | null;
    /** Names of the skills that the run follows. */
    followed: readonly string[];
    /** Makes the run follow a skill from the end of this call on. */
    follow(skill: FollowedSkill): void;
  };
  log(message: string, details?: JsonObject): void;
  /** Reports the call's progress to watchers; never stored. */
  progress(message: string): void;
}

/**
 * The outcome of a question. `rejected`: the person refused to answer. `expired`: no answer in time. `withdrawn`: the user
 * sent a message first, or the run continued. `nobody`: the run asks no one.
 */
export type PersonAnswer =
  | { answered: true; answer: Answer }
  | { answered: false; why: 'rejected' | 'expired' | 'withdrawn' | 'nobody'; reason?: string };

/** Tokens, and US dollars; null when nobody knows the price. */
export interface Charge {
  inputTokens: number;
  outputTokens: number;
  costUsd: number | null;
}

/** What a person who is asked about a call is shown besides its arguments. */
export interface CallPreview {
  /** A diff, say. Plain text; some 16,000 characters are of use. */
  text: string;
  /** Names the state that the preview shows; `run` gets it in `ctx.previewed`, and can refuse if the state has changed. */
  version?: string;
}

export interface PreviewContext {
  /** As in {@link ToolContext}. */
  workspace: string | null;
  /** Aborted after a few seconds; the question then has no preview. */
  signal: AbortSignal;
  /** Redacts text. Detent redacts the whole preview, too, but not across the lines of a diff. */
  redact(text: string): string;
}

/** What `status` reports about a call whose process died: it ran (with this result), it did not run, or unknown. */
export type ToolStatus = { ran: true; result: unknown } | { notRan: true } | { unknown: true };

/** Just enough of Standard Schema (https://standardschema.dev) to validate and to show the model a JSON Schema. */
export interface ToolSchema<Args> {
  readonly '~standard': {
    readonly version: 1;
    readonly vendor: string;
    validate(value: unknown): StandardResult<Args> | Promise<StandardResult<Args>>;
    readonly jsonSchema?: { input(options: { target: string }): Record<string, unknown> };
  };
}

type StandardResult<Args> =
  | { readonly value: Args; readonly issues?: undefined }
  | {
      readonly issues: ReadonlyArray<{
        readonly message: string;
        readonly path?: ReadonlyArray<PropertyKey | { readonly key: PropertyKey }> | undefined;
      }>;
    };

export interface ToolDefinition<Args> {
  /** Non-empty, unique in a registry, `[A-Za-z0-9_-]`, at most 64 characters (what every provider accepts). */
  name: string;
  /** For the model: what it does, when to use it. */
  description: string;
  /** A zod schema or any Standard Schema that can print itself as JSON Schema; else give `jsonSchema` too. */
  parameters?: ToolSchema<Args>;
  /** An explicit JSON Schema of type object: shown to the model, and validated against when `parameters` is absent. */
  jsonSchema?: JsonObject;
  sideEffect: SideEffect | ((args: Args) => SideEffect);
  /**
   * Whether each call needs a person's approval, and whose: `user` is for the user of the run to decide, `staff` for someone else who
   * may approve. Default: yes for `unsafe` and `probe`, by anyone who may approve.
   */
  confirm?: boolean | Decider | ((args: Args) => boolean | Decider);
  /** Milliseconds for one attempt, and for all `retries` of it together; default 60,000. */
  timeoutMs?: number;
  /**
   * Whether its results are text from outside (a web page, a mail), which may be written to mislead the model. Default:
   * only for tools of MCP servers.
   */
  untrusted?: boolean | ((args: Args) => boolean);
  /**
   * Whether a call sends the model's text to files, people or networks. Once untrusted text is in the conversation, these
   * calls need a person's approval. Default: every class except `readonly`.
   */
  sends?: boolean | ((args: Args) => boolean);
  /**
   * The paths that a call writes, relative to the workspace. A call that writes a guarded file (`.git/hooks`,
   * `package.json`, the configuration …) asks a person, whatever the configuration and grants say; `ctx.mayWriteGuarded`
   * tells `run`. `anything` for a tool that confines what it writes by itself.
   */
  writes?(args: Args): readonly string[] | 'anything';
  /** Maximum of concurrent calls over all runs of the process. Waiting does not use up the call's timeout. Default: no limit. */
  maxConcurrent?: number;
  /**
   * Repeats of an attempt that threw an error with `retryable: true`, or `NETWORK_ERROR`; default 0. Only `readonly` and
   * `idempotent` calls are repeated.
   */
  retries?: number;
  /**
   * The arguments that must match when a person approves a call "for this session"; all others may have any value.
   * Default: all arguments.
   */
  grantBy?: readonly string[];
  /**
   * Does the work. The model gets a string unchanged, and anything else as JSON. To fail, throw: the model reads the
   * message ({@link ToolFailure} adds a stable code).
   */
  run(args: Args, ctx: ToolContext): unknown;
  /** Required for `probe`: says what became of a call that a crash interrupted. Must change nothing. */
  status?(args: Args, ctx: ToolContext): ToolStatus | Promise<ToolStatus>;
  /**
   * Makes each call a question: whatever policy says, the run waits until a person answers, and `run` gets the answer in
   * `ctx.answer`. Without a person to ask, Detent refuses the call.
   */
  question?(args: Args): QuestionView;
  /** Shows the approving person what the call would do. Must change nothing; if it throws, the person sees the error. */
  preview?(args: Args, ctx: PreviewContext): Promise<CallPreview>;
}

/** A tool with its arguments' type erased, as registries hold it. Made by {@link defineTool}. */
export interface Tool {
  readonly name: string;
  readonly description: string;
  readonly parameters?: ToolSchema<unknown>;
  readonly jsonSchema?: JsonObject;
  readonly timeoutMs: number;
  readonly maxConcurrent?: number;
  readonly retries?: number;
  readonly grantBy?: readonly string[];
  /** Properties that hold for every call; null where they depend on the arguments. For listings, not for policy. */
  readonly declared?: { sideEffect: SideEffect | null; confirm: boolean | null };
  sideEffect(args: unknown): SideEffect;
  confirm(args: unknown): boolean | Decider;
  untrusted?(args: unknown): boolean;
  sends?(args: unknown): boolean;
  writes?(args: unknown): readonly string[] | 'anything';
  run(args: unknown, ctx: ToolContext): unknown;
  status?(args: unknown, ctx: ToolContext): ToolStatus | Promise<ToolStatus>;
  question?(args: unknown): QuestionView;
  preview?(args: unknown, ctx: PreviewContext): Promise<CallPreview>;
}

const definitionFields: Record<keyof ToolDefinition<never>, true> = {
  name: true,
  description: true,
  parameters: true,
  jsonSchema: true,
  sideEffect: true,
  confirm: true,
  timeoutMs: true,
  untrusted: true,
  sends: true,
  writes: true,
  maxConcurrent: true,
  retries: true,
  grantBy: true,
  run: true,
  status: true,
  question: true,
  preview: true,
};
/** `{ ...tool, confirm: false }` brings the last one along. */
const knownFields = [...Object.keys(definitionFields), 'declared'];

const validName = /^[A-Za-z0-9_-]{1,64}$/;
const defaultTimeoutMs = 60_000;

/**
 * Defines a tool that a model can call.
 *
 * @throws DetentError `INVALID_TOOL` when the name is unusable, no schema is given, a `probe` tool has no `status`, a field is
 * unknown, or one that decides something has an unknown value.
 *
 * @example
 * ```ts
 * const weather = defineTool({
 *   name: 'weather',
 *   description: 'Current weather of a city.',
 *   parameters: z.object({ city: z.string() }),
 *   sideEffect: 'readonly',
 *   run: async ({ city }, { signal }) => (await fetch(`${api}?q=${city}`, { signal })).json(),
 * });
 * ```
 */
export function defineTool<Args>(definition: ToolDefinition<Args>): Tool {
  if (!isObject(definition))
    throw new DetentError(
      'INVALID_TOOL',
      `defineTool takes an object that states a tool, not ${shown(definition)}`,
    );
  const { name, sideEffect, confirm, untrusted, sends, writes, status, question, preview } = definition;
  if (typeof name !== 'string' || !validName.test(name))
    throw invalidTool(name, 'a name is 1 to 64 letters, digits, "_" or "-"; rename the tool');
  refuseUnknownFields(definition, knownFields, `tool ${JSON.stringify(name)}`, 'INVALID_TOOL');
  if (typeof definition.run !== 'function')
    throw invalidTool(name, 'give `run`, the function that does the work');
  if (!definition.parameters && !definition.jsonSchema)
    throw invalidTool(name, 'give `parameters` (a zod schema) or `jsonSchema`');
  if (definition.parameters && !definition.parameters['~standard'])
    throw invalidTool(name, '`parameters` is not a zod schema; a JSON Schema belongs in `jsonSchema`');
  if (definition.parameters && !definition.jsonSchema && !definition.parameters['~standard'].jsonSchema)
    throw invalidTool(
      name,
      'its schema cannot print itself as JSON Schema; use full zod, or add `jsonSchema` beside it',
    );
  if (typeof sideEffect !== 'function')
    oneOf(sideEffect, sideEffectClasses, `tool ${JSON.stringify(name)}: sideEffect`, 'INVALID_TOOL');
  if (typeof confirm === 'string')
    oneOf(confirm, deciders, `tool ${JSON.stringify(name)}: confirm`, 'INVALID_TOOL');
  for (const [field, value] of Object.entries({
    confirm: typeof confirm === 'string' ? true : confirm,
    untrusted,
    sends,
  }))
    if (!['undefined', 'boolean', 'function'].includes(typeof value))
      throw invalidTool(name, `${field} is true, false or a function, not ${shown(value)}`);
  checkNumbers(definition);
  if (sideEffect === 'probe' && !status)
    throw invalidTool(name, 'sideEffect "probe" needs a `status` function that says what became of a call');

  // A class computed from arguments cannot be checked above. A `probe` call without `status` has an unknown outcome.
  const classOf = (args: unknown): SideEffect => {
    const declared = typeof sideEffect === 'function' ? sideEffect(args as Args) : sideEffect;
    return sideEffectClasses.includes(declared) && !(declared === 'probe' && !status) ? declared : 'unsafe';
  };
  return {
    name,
    description: definition.description,
    ...(definition.parameters && { parameters: definition.parameters as ToolSchema<unknown> }),
    ...(definition.jsonSchema && { jsonSchema: definition.jsonSchema }),
    timeoutMs: definition.timeoutMs ?? defaultTimeoutMs,
    declared: {
      sideEffect: typeof sideEffect === 'function' ? null : sideEffect,
      confirm: declaredConfirm(sideEffect, confirm),
    },
    sideEffect: classOf,
    confirm: (args) => {
      if (confirm === undefined) return classOf(args) === 'unsafe' || classOf(args) === 'probe';
      return typeof confirm === 'function' ? confirm(args as Args) : confirm;
    },
    ...(untrusted !== undefined && { untrusted: perCall(untrusted) }),
    ...(sends !== undefined && { sends: perCall(sends) }),
    ...(writes && { writes: (args: unknown) => writes(args as Args) }),
    ...(definition.maxConcurrent !== undefined && { maxConcurrent: definition.maxConcurrent }),
    ...(definition.retries !== undefined && { retries: definition.retries }),
    ...(definition.grantBy && { grantBy: definition.grantBy }),
    run: (args, ctx) => definition.run(args as Args, ctx),
    ...(status && { status: (args: unknown, ctx: ToolContext) => status(args as Args, ctx) }),
    ...(question && { question: (args: unknown) => question(args as Args) }),
    ...(preview && { preview: (args: unknown, ctx: PreviewContext) => preview(args as Args, ctx) }),
  };
}

function checkNumbers({
  name,
  timeoutMs,
  maxConcurrent,
  retries,
}: Pick<ToolDefinition<never>, 'name' | 'timeoutMs' | 'maxConcurrent' | 'retries'>): void {
  if (timeoutMs !== undefined && !(timeoutMs > 0))
    throw invalidTool(name, `timeoutMs is a number of milliseconds greater than 0, not ${shown(timeoutMs)}`);
  for (const [field, value, min] of [
    ['maxConcurrent', maxConcurrent, 1],
    ['retries', retries, 0],
  ] as const)
    if (value !== undefined && !(Number.isInteger(value) && value >= min))
      throw invalidTool(name, `${field} is a whole number, at least ${min}, not ${shown(value)}`);
}

function perCall<Args>(said: boolean | ((args: Args) => boolean)): (args: unknown) => boolean {
  return typeof said === 'function' ? (args) => said(args as Args) : () => said;
}

function declaredConfirm(
  sideEffect: ToolDefinition<never>['sideEffect'],
  confirm: ToolDefinition<never>['confirm'],
): boolean | null {
  if (typeof confirm === 'boolean' || typeof confirm === 'string') return confirm !== false;
  if (confirm || typeof sideEffect === 'function') return null;
  return sideEffect === 'unsafe' || sideEffect === 'probe';
}

/**
 * Throw it from a tool to fail with a stable code that reaches the model, the log and `--json`.
 *
 * @example
 * ```ts
 * throw new ToolFailure('OUT_OF_STOCK', `only ${left} left; ask for fewer`);
 * ```
 */
export class ToolFailure extends DetentError {}

/** @internal */
export function invalidTool(name: string, why: string, cause?: unknown): DetentError {
  return new DetentError('INVALID_TOOL', `tool ${JSON.stringify(name)}: ${why}`, {
    details: { name },
    cause,
  });
}
