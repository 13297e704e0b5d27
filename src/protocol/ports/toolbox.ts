import type { ContentPart } from '../content.ts';
import type { Decider } from '../enums.ts';
import { DetentError } from '../error.ts';
import { isObject, type JsonObject, type JsonValue, parseArguments, parseJson } from '../json.ts';
import type { MethodOutput } from '../methods/methods.ts';
import type { CallPreview, PreviewContext, SideEffect, ToolContext, ToolSchema } from '../tool.ts';
import type { QuestionView, TaintView } from '../views.ts';
import type { ToolSpec } from './chat-model.ts';
import type { FollowedSkill } from './skill-source.ts';

/**
 * Policy's decision on one call, made when the model's answer is committed:
 * `run` starts it, `ask` waits for a person, `refuse` answers the model with `code` and `text` at once.
 */
export type CallPlan =
  | { gate: 'run'; sideEffect: SideEffect; why: string; decides?: Decider; guarded?: true }
  | {
      gate: 'ask';
      sideEffect: SideEffect;
      why: string;
      /** Who decides; left out where anyone may who may approve. */
      decides?: Decider;
      /** The call writes guarded files, or may: it may do so once a person has approved it. */
      guarded?: true;
      preview?: CallPreview;
      question?: QuestionView;
      /** The caller of the run performs the call, and gives its result. */
      client?: true;
      /** A workflow asks: a person approves or rejects the call as it is. */
      asIs?: true;
    }
  | { gate: 'refuse'; code: string; text: string; why: string };

/** A settled call. The model reads `text`, which may be large because it is cut later. */
export interface ToolOutcome {
  isError: boolean;
  /** Null for success; else stable: `TIMEOUT`, `TOOL_FAILED`, a tool's own. */
  code: string | null;
  text: string;
  /** Images and documents for the model. */
  parts?: readonly ContentPart[];
  /** For the client's screens: in no prompt. */
  data?: JsonObject;
}

/** What policy considers besides the tool and its arguments. */
export interface PlanContext {
  runId: string;
  sessionId: string;
  /** The tools that this run may use, patterns among them; null = the configured allow-list. Can only narrow. */
  allowed: readonly string[] | null;
  /** The run's option for confirmations: `ask` follows the tools, `all` approves, `none` refuses calls that would ask. */
  approve: 'ask' | 'all' | 'none';
  /** Whether the request of the run itself said so; an `all` of the configuration does not cover guarded files. */
  approveGiven: boolean;
  /** Absolute path of the tenant's folder; null when it has none. */
  workspace: string | null;
  /** The sources of untrusted text in the conversation; empty without any. */
  tainted?: readonly TaintView[];
  /** Reads the grants of the session. Called for a call that would not run without one. */
  grants?: () => Promise<readonly Grant[]>;
  /** The skills that the run follows; `isTrusted` as it is now. */
  skills?: readonly FollowedSkill[];
  /** What previews may read; without it there is no preview. */
  preview?: Omit<PreviewContext, 'signal'>;
}

/** A tool as people see it. */
export type ToolView = MethodOutput<'tool.list'>['tools'][number];

/** Why a tool cannot be used: a stable code, and what to do. */
export interface Unavailable {
  code: string;
  reason: string;
}

/** The tools of one agent, behind one interface. */
export interface Toolbox {
  /** Refreshes the tools of MCP servers; bounded in time, never rejects. */
  ready(allowed: readonly string[] | null): Promise<void>;
  /** The model's tools, sorted by name, without those that a followed skill excludes. */
  specs(allowed: readonly string[] | null, skills?: readonly FollowedSkill[]): readonly ToolSpec[];
  /** Every registered tool, sorted by name, including those that no run may use. */
  views(): readonly ToolView[];
  /** Validates arguments and applies policy. Never throws for what a model wrote. */
  plan(name: string, rawArguments: string, ctx: PlanContext): Promise<CallPlan>;
  /** Whether the result of a call with these arguments is untrusted text. Never throws. */
  isUntrusted(name: string, rawArguments: string): boolean;
  /** The default pattern when a person approves a call "for this session". */
  grantPattern(name: string, rawArguments: string): GrantPattern;
  /** Runs one attempt. Never rejects: a throw, a timeout and an abort are outcomes. */
  run(name: string, rawArguments: string, ctx: ToolContext): Promise<ToolOutcome>;
  /** Asks a `probe` tool what became of a call. `null` = it cannot say. */
  status(name: string, rawArguments: string, ctx: ToolContext): Promise<ToolOutcome | 'notRan' | null>;
}

/** What a file holds, for those whose path is not known. */
export interface FileContent {
  /** Its size. */
  bytes: number;
  read(): Promise<Uint8Array>;
}

/**
 * The files that hold untrusted text: a run with such text in its conversation has written them, or its result was
 * delivered there. All paths are real and absolute.
 */
export interface TaintedFiles {
  /** Whether the answer that asked for a call had untrusted text in its prompt. */
  isBound(ctx: ToolContext): Promise<boolean>;
  /** Whether a file is one of them, or has the content of one under another name. */
  has(tenant: number, path: string, content: FileContent): Promise<boolean>;
  /** Those that are still in a folder, at any depth: their paths from there, with `/`. It may be behind a link. */
  listIn(tenant: number, folder: string): Promise<string[]>;
  /** Adds a file, or a folder for its name; null while its content is not known. */
  add(tenant: number, path: string, content: Uint8Array | null): Promise<void>;
  /** After `add` of null: the file holds nothing of what it held. It stays if its content was added since, by another run. */
  remove(tenant: number, path: string): Promise<void>;
}

/** For programs that keep no record. */
export const noTaintedFiles: TaintedFiles = {
  isBound: async () => false,
  has: async () => false,
  listIn: async () => [],
  add: async () => {},
  remove: async () => {},
};

/** What one field of the arguments must be: exactly this value, a text of this form, or anything, including absent. */
export type GrantTest = { is: unknown } | { like: string } | { any: true };

/**
 * Which calls of a tool a grant matches, by fields of their arguments. Fields that the pattern does not name must be
 * absent, so that a call with an unforeseen option still asks a person.
 */
export type GrantPattern = Readonly<Record<string, GrantTest>>;

/** Exactly these arguments; with `held`, calls that agree in those fields, with any value in the `free` ones. */
export function defaultPattern(
  args: Readonly<Record<string, unknown>>,
  held: readonly string[] | undefined,
  free: readonly string[],
): GrantPattern {
  const exact = (names: readonly string[]) =>
    names.filter((name) => Object.hasOwn(args, name)).map((name) => [name, { is: args[name] }] as const);
  if (!held) return Object.fromEntries(exact(Object.keys(args)));
  const others = free.filter((name) => !held.includes(name)).map((name) => [name, { any: true }] as const);
  return Object.fromEntries([...exact(held), ...others]);
}

/**
 * Parses a pattern as people write it: `{"path":{"like":"notes/*.md"},"content":{"any":true}}`. Any value other than
 * `{is}`, `{like}` and `{any}` matches itself.
 *
 * @throws DetentError `INVALID_PATTERN`.
 */
export function readPattern(given: unknown): GrantPattern {
  const value = typeof given === 'string' ? parseJson(given) : given;
  if (!isObject(value))
    throw invalidPattern(
      'it must be a JSON object of argument fields, as {"path":"notes.md","content":{"any":true}}',
    );
  return Object.fromEntries(Object.entries(value).map(([field, test]) => [field, readTest(field, test)]));
}

function readTest(field: string, test: unknown): GrantTest {
  const [entry, ...more] = isObject(test) ? Object.entries(test) : [];
  if (!entry || more.length > 0) return { is: test };
  const [word, value] = entry;
  if (word === 'is') return { is: value };
  if (word === 'any') {
    if (value === true) return { any: true };
    throw invalidPattern(`"any" of ${JSON.stringify(field)} can only be true`);
  }
  if (word !== 'like') return { is: test };
  if (typeof value === 'string') return { like: value };
  throw invalidPattern(`"like" of ${JSON.stringify(field)} must be a text`);
}

/** @param raw the arguments as the model wrote them, which a person approves and the tool executes. */
export function matchesGrant(pattern: GrantPattern, raw: string): boolean {
  const args = parseArguments(raw);
  if (!isObject(args)) return false;
  const fields = new Set([...Object.keys(pattern), ...Object.keys(args)]);
  return [...fields].every((field) => {
    const test = Object.hasOwn(pattern, field) ? pattern[field] : undefined;
    if (!test) return false;
    if ('any' in test) return true;
    if (!Object.hasOwn(args, field)) return false;
    const value: unknown = args[field];
    return 'is' in test
      ? canonical(value) === canonical(test.is)
      : typeof value === 'string' && isLike(value, test.like);
  });
}

/** Canonical text of a JSON value: the same for every order of keys. */
function canonical(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonical).join(',')}]`;
  if (!isObject(value)) return JSON.stringify(value) ?? 'undefined';
  const keys = Object.keys(value).sort();
  return `{${keys.map((key) => `${JSON.stringify(key)}:${canonical(value[key])}`).join(',')}}`;
}

const maxLikeChars = 2_000;
/** What `*` matches: no character that is special in a shell, and no slash. */
const harmless = /^[\p{L}\p{M}\p{N} _.,:=+@%-]$/u;

/**
 * Whether a text matches a form: `*` matches letters, digits, blanks and `_ . , : = + @ % -`, and `**` slashes, too. No
 * text with `..` in it matches any form. Takes time proportional to text times form.
 */
export function isLike(text: string, form: string): boolean {
  if (text.length > maxLikeChars || form.length > maxLikeChars || text.includes('..')) return false;
  const tokens = form.match(/\*\*+|[\s\S]/gu) ?? [];
  let places = skipStars(tokens, new Set([0]));
  for (const character of text) {
    const next = new Set<number>();
    for (const place of places) {
      const token = tokens[place];
      if (token === undefined) continue;
      if (!token.startsWith('*')) {
        if (token === character) next.add(place + 1);
      } else if (harmless.test(character) || (token !== '*' && character === '/')) next.add(place);
    }
    places = skipStars(tokens, next);
    if (places.size === 0) return false;
  }
  return places.has(tokens.length);
}

function skipStars(tokens: readonly string[], places: Set<number>): Set<number> {
  for (const place of places) if (tokens[place]?.startsWith('*')) places.add(place + 1);
  return places;
}

function invalidPattern(why: string): DetentError {
  return new DetentError('INVALID_PATTERN', `the pattern of a grant cannot be used: ${why}`);
}

/** A grant against which policy checks calls. */
export interface Grant {
  n: number;
  tool: string;
  pattern: GrantPattern;
}

/**
 * The schema of a run's output: a zod schema, or any Standard Schema that can print itself as JSON Schema; or a plain
 * JSON Schema (draft 2020-12).
 */
export type OutputSchema<Output = unknown> = ToolSchema<Output> | Readonly<Record<string, unknown>>;

/** An answer that was compared with the output schema of its run. */
export type CheckedOutput =
  /** `value`: the JSON that the model wrote. Schemas that transform have not transformed it. */
  | { fits: true; value: JsonValue }
  /** `problems`: what is wrong, for the model and for people; a line each. */
  | { fits: false; problems: string };

/** Compares answers with output schemas. */
export interface OutputChecker {
  /**
   * @param run `owner`: the tenant and the user whose run it is; what their schemas take has a budget.
   * @param schema the JSON Schema in the options of the run. The schema that it was printed from counts, if this process
   * has it.
   */
  check(
    run: { id: string; owner: string; agent?: string },
    schema: JsonObject,
    text: string,
  ): Promise<CheckedOutput>;
}

/** The output schemas that only this process has: those of its requests and of its configuration. */
export interface OutputSchemas extends OutputChecker {
  /** Keeps the schema object of a run until the run has ended. Returns the function that forgets it earlier. */
  keep(runId: string, schema: OutputSchema): () => void;
}
