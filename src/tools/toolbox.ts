import type { Tool } from '../agent/tool.ts';
import type { CallPlan, PlanContext, Toolbox } from '../agent/toolbox.ts';
import { nearestName } from '../protocol/nearest-name.ts';
import { checkArguments } from './arguments.ts';
import { probeTool, runTool } from './dispatcher.ts';
import { failed } from './outcome.ts';
import { decide, policyRules } from './policy.ts';
import { previewOf } from './preview.ts';
import { type RegisteredTool, ToolRegistry } from './registry.ts';
import { sideEffectOf } from './side-effect.ts';
import { toolView } from './tool-view.ts';

export interface ToolboxOptions {
  tools: Iterable<Tool>;
  /** The configured allow-list; null = all registered tools. Names that are not registered have no effect. */
  allowed: readonly string[] | null;
  /** Tools that no run may use, whatever is allowed. */
  disabled?: readonly string[];
  /** Per tool name: whether a person is asked, in place of the tool's own default. */
  confirm?: Readonly<Record<string, boolean>>;
  /** Tools that cannot work here, by name. */
  unavailable?: Readonly<Record<string, Unavailable>>;
}

/** Why a tool cannot work here: a stable code, and what to do. */
export interface Unavailable {
  code: string;
  reason: string;
}

/**
 * Puts an agent's tools behind one door: what the model is shown, what policy says of a call, and the call itself.
 *
 * @throws DetentError `DUPLICATE_TOOL`, `INVALID_TOOL`; see {@link ToolRegistry}.
 *
 * @example
 * ```ts
 * const toolbox = createToolbox({ tools: builtinTools(), allowed: null, confirm: { write_file: false } });
 * const plan = await toolbox.plan('read_file', '{"path":"README.md"}', ctx);
 * ```
 */
export function createToolbox(options: ToolboxOptions): Toolbox {
  const registry = new ToolRegistry(options.tools);
  const configured = options.allowed && new Set(options.allowed);
  const disabled = new Set(options.disabled);
  const confirm = options.confirm ?? {};
  const unavailable = new Map(Object.entries(options.unavailable ?? {}));
  const rules = policyRules(confirm);

  /** Why no run may use a tool of this name; null when runs may. */
  const whyDisabled = (name: string): string | null => {
    if (disabled.has(name)) return 'configuration: tools.disabled has it';
    if (configured && !configured.has(name)) return 'configuration: tools.allowed does not have it';
    const missing = unavailable.get(name);
    return missing ? `${missing.code}: ${missing.reason}` : null;
  };

  /** Names in order; a run's list can only narrow the configured one. */
  const allowedNames = (run: readonly string[] | null): readonly string[] => {
    const narrowed = run && new Set(run);
    return registry.names().filter((name) => whyDisabled(name) === null && (narrowed?.has(name) ?? true));
  };

  return {
    specs: (run) => allowedNames(run).flatMap((name) => registry.get(name)?.spec ?? []),

    views: () =>
      registry.names().flatMap((name) => {
        const entry = registry.get(name);
        return entry ? [{ ...toolView(entry, confirm), disabled: whyDisabled(name) }] : [];
      }),

    async plan(name, raw, ctx) {
      const entry = registry.get(name);
      const allowed = allowedNames(ctx.allowed);
      if (!entry) return refuse('UNKNOWN_TOOL', unknownTool(name, allowed), 'no such tool');
      const missing = unavailable.get(name);
      if (missing && !allowed.includes(name))
        return refuse(
          missing.code,
          `Tool ${shortened(name)} cannot be used here: ${missing.reason}`,
          'unavailable',
        );
      if (!allowed.includes(name)) return refuse('TOOL_NOT_ALLOWED', notAllowed(name, allowed), 'allow-list');
      const checked = await checkArguments(entry, raw);
      if (!checked.ok) return refuse('INVALID_ARGUMENTS', checked.text, 'arguments');
      return planned(entry, checked.args, ctx);
    },

    async run(name, raw, ctx) {
      const entry = registry.get(name);
      return entry ? runTool(entry, raw, ctx) : failed('UNKNOWN_TOOL', unknownTool(name, registry.names()));
    },

    async status(name, raw, ctx) {
      const entry = registry.get(name);
      return entry ? probeTool(entry, raw, ctx) : null;
    },
  };

  async function planned(entry: RegisteredTool, args: unknown, ctx: PlanContext): Promise<CallPlan> {
    const { tool } = entry;
    const { gate, why } = await decide(rules, { tool, args, approve: ctx.approve });
    const sideEffect = sideEffectOf(tool, args);
    if (gate === 'ask') return { gate, why, sideEffect, ...(await previewOf(tool, args, ctx)) };
    if (gate === 'run') return { gate, why, sideEffect };
    const text = `${tool.name} needs a person's approval, and this run asks nobody. Go on without it.`;
    return refuse('REJECTED_BY_POLICY', text, why);
  }
}

function refuse(code: string, text: string, why: string): CallPlan {
  return { gate: 'refuse', code, text, why };
}

function unknownTool(name: string, available: readonly string[]): string {
  const nearest = nearestName(name, available);
  const hint = nearest ? ` Did you mean "${nearest}"?` : '';
  return `There is no tool ${shortened(name)}.${hint} ${listOf('Available tools', available)}`;
}

function notAllowed(name: string, allowed: readonly string[]): string {
  return `Tool ${shortened(name)} may not be used in this run. ${listOf('Allowed tools', allowed)}`;
}

function listOf(title: string, names: readonly string[]): string {
  return names.length > 0 ? `${title}: ${names.join(', ')}.` : `${title}: none.`;
}

function shortened(name: string): string {
  return JSON.stringify(name.length > 80 ? `${name.slice(0, 80)}…` : name);
}
