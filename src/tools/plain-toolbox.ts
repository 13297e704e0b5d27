import type { Decider } from '../protocol/enums.ts';
import { isObject, parseArguments } from '../protocol/json.ts';
import {
  type CallPlan,
  defaultPattern,
  type FollowedSkill,
  type PlanContext,
  type Toolbox,
  type ToolView,
  type Unavailable,
} from '../protocol/ports.ts';
import type { Tool } from '../protocol/tool.ts';
import { type QuestionView, reasonText } from '../protocol/views.ts';
import { nearestName, quoted } from '../text/wording.ts';
import { checkArguments } from './calls/arguments.ts';
import { failed } from './calls/outcome.ts';
import { previewOf } from './calls/preview.ts';
import { createToolRunner, probeTool, type ToolLimits } from './calls/run-call.ts';
import { sideEffectOf } from './calls/side-effect.ts';
import type { FileGuard } from './files/file-guard.ts';
import type { PathMatcher } from './files/glob.ts';
import { decideByPolicy } from './policy/facts.ts';
import { forbiddingSkill, isToolAllowed } from './policy/skill-rules.ts';
import { untrustedBy } from './policy/untrusted.ts';
import type { SchemaCheck } from './registry/issues.ts';
import { toolMatcher } from './registry/name-patterns.ts';
import { type RegisteredTool, ToolRegistry } from './registry/registry.ts';
import type { ToolSource } from './registry/tool-source.ts';

/** Of a name from a model that an answer to it shows. */
const maxNameChars = 80;

export interface PlainToolboxOptions {
  tools: Iterable<Tool>;
  /** Tools of Detent's own. A model that is offered few of them waits for no schema of the others. */
  own?: Iterable<Tool>;
  /** The configured allow-list, patterns among it; null = all tools. Names that are not registered have no effect. */
  allowed: readonly string[] | null;
  /** Tools that no run may use, whatever is allowed. */
  disabled?: readonly string[];
  /** Per tool name: whether a person is asked, in place of the tool's own default. */
  confirm?: Readonly<Record<string, boolean | Decider>>;
  /** Whether untrusted text in a conversation has calls asked about that write or send. Default `confirm`, the strict one. */
  taint?: 'confirm' | 'off';
  /** Which files tools may not use, and which always ask when one writes them. */
  files: FileGuard;
  /** Validates arguments by a plain JSON Schema. */
  schemaIssues: SchemaCheck;
  /** Match the files of the workspace whose text is untrusted. */
  untrusted?: readonly PathMatcher[];
  /** Per tool name: limits that override the tool's own. */
  limits?: Readonly<Record<string, ToolLimits>>;
  /** Whether someone else than who asked must approve calls of a tool. */
  fourEyes?(tool: string): boolean;
  /** Tools that cannot work on this machine, by name. */
  unavailable?: Readonly<Record<string, Unavailable>>;
  /** Tools that the configuration must allow by a list, and why each cannot be used now. */
  optIn?: Readonly<Record<string, () => Unavailable | null>>;
  /** A source that lists its tools later. A tool above takes precedence over one of the source with the same name. */
  source?: ToolSource;
}

/**
 * A toolbox for any host, whatever it has of files.
 *
 * @throws DetentError `DUPLICATE_TOOL`, `INVALID_TOOL`; see {@link ToolRegistry}.
 */
export function createPlainToolbox(options: PlainToolboxOptions): Toolbox {
  const registry = new ToolRegistry(options.tools, options.own);
  const { source } = options;
  const isConfigured = options.allowed && toolMatcher(options.allowed);
  const isDisabled = toolMatcher(options.disabled ?? []);
  const confirm = options.confirm ?? {};
  const unavailable = new Map(Object.entries(options.unavailable ?? {}));
  const optIn = new Map(Object.entries(options.optIn ?? {}));
  const policy = {
    confirm,
    fourEyes: options.fourEyes ?? (() => false),
    taint: options.taint ?? 'confirm',
    files: options.files,
  };
  const isUntrusted = untrustedBy(options.untrusted ?? []);
  const runTool = createToolRunner(options.limits ?? {}, options);

  const find = (name: string): RegisteredTool | undefined => registry.get(name) ?? source?.tools().get(name);
  const names = (): readonly string[] => {
    const sourced = [...(source?.tools().keys() ?? [])];
    return sourced.length === 0 ? registry.names() : [...new Set([...registry.names(), ...sourced])].sort();
  };
  /** Like {@link find}, after refreshing the source if it may have the tool. */
  const sought = async (name: string): Promise<RegisteredTool | undefined> => {
    if (!registry.get(name)) await source?.ready([name]);
    return find(name);
  };
  const whyUnavailable = (name: string): Unavailable | null =>
    unavailable.get(name) ??
    optIn.get(name)?.() ??
    (registry.get(name)
      ? null
      : (source?.tools().get(name)?.unavailable ?? source?.whyMissing(name) ?? null));

  /** Why runs may not use a tool of this name; null when they may. */
  const whyDisabled = (name: string): string | null => {
    if (isDisabled(name)) return reasonText('config_disables', { field: 'tools.disabled' });
    if (isConfigured ? !isConfigured(name) : optIn.has(name))
      return reasonText('config_leaves_out', { field: 'tools.allowed' });
    const missing = whyUnavailable(name);
    return missing ? `${missing.code}: ${missing.reason}` : null;
  };

  /** Computed once where nothing can change it. */
  const isFixed = !source && ![...optIn.keys()].some((name) => isConfigured?.(name));
  let fixedNames: readonly string[] | undefined;
  const enabledNames = (): readonly string[] => {
    if (fixedNames) return fixedNames;
    const enabled = names().filter((name) => whyDisabled(name) === null);
    if (isFixed) fixedNames = enabled;
    return enabled;
  };

  /** Names in order; a run's list can only narrow the configured one. */
  const allowedNames = (run: readonly string[] | null): readonly string[] =>
    run ? enabledNames().filter(toolMatcher(run)) : enabledNames();

  return {
    async ready(run) {
      await source?.ready(run ?? options.allowed);
    },

    specs: (run, skills = []) =>
      allowedNames(run).flatMap((name) => (isToolAllowed(name, skills) ? (find(name)?.spec ?? []) : [])),

    views: () =>
      names().flatMap((name) => {
        const entry = find(name);
        return entry ? [{ ...toolView(entry, confirm), disabled: whyDisabled(name) }] : [];
      }),

    async plan(name, raw, ctx) {
      const entry = await sought(name);
      const { skills = [] } = ctx;
      const allowed = allowedNames(ctx.allowed).filter((known) => isToolAllowed(known, skills));
      const missing = whyUnavailable(name);
      // A run for this call alone allows no other tool.
      const there = ctx.allowed?.join() === name ? enabledNames() : allowed;
      if (!entry && !missing) return refuse('UNKNOWN_TOOL', unknownTool(name, there), 'no such tool');
      if (missing && !allowed.includes(name))
        return refuse(missing.code, unavailableTool(name, missing), 'unavailable');
      if (!entry || !allowed.includes(name))
        return refuse('TOOL_NOT_ALLOWED', notAllowed(name, allowed), 'allow-list');
      const checked = await checkArguments(entry, raw, options.schemaIssues);
      if (!checked.ok) return refuse('INVALID_ARGUMENTS', checked.text, 'arguments');
      const forbidding = forbiddingSkill(name, raw, skills);
      if (forbidding)
        return refuse('TOOL_NOT_ALLOWED', notInSkill(name, forbidding), `skill: ${forbidding.name}`);
      return planned(entry, { raw, args: checked.args }, ctx);
    },

    isUntrusted: (name, raw) => isUntrusted(name, find(name)?.tool, raw),

    grantPattern(name, raw) {
      const entry = find(name);
      const args = parseArguments(raw);
      const fields = entry?.spec.parameters.properties;
      return defaultPattern(
        isObject(args) ? args : {},
        entry?.tool.grantBy,
        isObject(fields) ? Object.keys(fields) : [],
      );
    },

    async run(name, raw, ctx) {
      const entry = await sought(name);
      if (entry) return runTool(entry, raw, ctx);
      const missing = whyUnavailable(name);
      return missing
        ? failed(missing.code, unavailableTool(name, missing))
        : failed('UNKNOWN_TOOL', unknownTool(name, names()));
    },

    async status(name, raw, ctx) {
      const entry = find(name);
      return entry ? probeTool(entry, raw, ctx, options.schemaIssues) : null;
    },
  };

  async function planned(
    { tool }: RegisteredTool,
    { raw, args }: { raw: string; args: unknown },
    ctx: PlanContext,
  ): Promise<CallPlan> {
    if (tool.question) return plannedQuestion(tool, tool.question(args), ctx);
    const sideEffect = sideEffectOf(tool, args);
    const { facts, gate, ...decided } = await decideByPolicy({ tool, raw, args, sideEffect }, ctx, policy);
    const guarded = facts.guarded !== null || writesAnything(tool, args) ? { guarded: true as const } : {};
    if (gate === 'ask')
      return { gate, ...decided, sideEffect, ...guarded, ...(await previewOf(tool, args, ctx)) };
    if (gate === 'run') return { gate, ...decided, sideEffect, ...guarded };
    const text = `${tool.name} needs a person's approval, and this run asks nobody. Continue without it.`;
    return refuse('REJECTED_BY_POLICY', text, decided.why);
  }
}

function writesAnything(tool: Tool, args: unknown): boolean {
  try {
    return tool.writes?.(args) === 'anything';
  } catch {
    return false;
  }
}

/** No policy rule can answer for a person: the run asks the question, or refuses it under `approve: none`. */
function plannedQuestion(tool: Tool, question: QuestionView, { approve }: PlanContext): CallPlan {
  if (approve === 'none')
    return refuse(
      'NOBODY_TO_ASK',
      'Nobody can answer in this run. Decide what is most sensible, and say so.',
      reasonText('run_approves_none'),
    );
  return { gate: 'ask', why: reasonText('agent_asks'), sideEffect: sideEffectOf(tool, {}), question };
}

function refuse(code: string, text: string, why: string): CallPlan {
  return { gate: 'refuse', code, text, why };
}

function unknownTool(name: string, available: readonly string[]): string {
  const nearest = nearestName(name, available);
  const hint = nearest ? ` Did you mean "${nearest}"?` : '';
  return `There is no tool ${quoted(name, maxNameChars)}.${hint} ${namesLine('Available tools', available)}`;
}

function unavailableTool(name: string, { reason }: Unavailable): string {
  return `Tool ${quoted(name, maxNameChars)} cannot be used here: ${reason}`;
}

function notAllowed(name: string, allowed: readonly string[]): string {
  return `Tool ${quoted(name, maxNameChars)} may not be used in this run. ${namesLine('Allowed tools', allowed)}`;
}

function notInSkill(name: string, { name: skill, allowed }: FollowedSkill): string {
  const patterns = (allowed ?? []).filter((rule) => rule.tool === name).map(({ pattern }) => pattern);
  return `Tool ${quoted(name, maxNameChars)} may not be called like this while the skill ${quoted(skill, maxNameChars)} is followed: it allows ${patterns.join(', ')}, without anything that a shell would join, substitute or expand.`;
}

function namesLine(title: string, names: readonly string[]): string {
  return names.length > 0 ? `${title}: ${names.join(', ')}.` : `${title}: none.`;
}

/**
 * The description of a tool for people.
 *
 * @param confirm the configuration's `policy.confirm`, per tool.
 */
function toolView(
  { tool, spec }: RegisteredTool,
  confirm: Readonly<Record<string, boolean | Decider>>,
): Omit<ToolView, 'disabled'> {
  const { sideEffect = null, confirm: declared = null } = tool.declared ?? {};
  const said = Object.hasOwn(confirm, tool.name) ? (confirm[tool.name] ?? null) : null;
  const configured = said === null ? null : said !== false;
  return {
    ...spec,
    sideEffect,
    asks: configured ?? declared,
    ...ruleOf(tool.name, configured, declared),
    ...(tool.grantBy && { grantBy: [...tool.grantBy] }),
  };
}

/** The rule that says whether a tool asks, in words and by its code. */
function ruleOf(
  tool: string,
  configured: boolean | null,
  own: boolean | null,
): Pick<ToolView, 'why' | 'reason'> {
  const code = configured === null ? 'tool_default' : 'config_confirms';
  const why = reasonText(code, { tool });
  if (configured === null || own === null || own === configured)
    return { why, reason: { code, params: { tool } } };
  const beaten = own ? 'tool_asks' : 'tool_does_not_ask';
  return {
    why: `${why}, over ${reasonText(beaten, { tool })}`,
    reason: { code, params: { tool, over: [{ code: beaten, params: { tool } }] } },
  };
}
