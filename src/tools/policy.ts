import type { Tool } from '../agent/tool.ts';
import type { PlanContext } from '../agent/toolbox.ts';

/** One validated call, as policy sees it. */
export interface PolicyCall {
  tool: Tool;
  args: unknown;
  approve: PlanContext['approve'];
}

export interface PolicyVerdict {
  gate: 'run' | 'ask' | 'refuse';
  /** Names the rule that decided, for the log and for the person who is asked. */
  why: string;
}

/** Answers for a call, or hands it to the less specific rules by calling `rest`. */
export type PolicyRule = (call: PolicyCall, rest: () => Promise<PolicyVerdict>) => Promise<PolicyVerdict>;

/**
 * The rules on confirmation, most specific first: the first that answers wins.
 *
 * The whole order is: run option > taint > session grant > trusted skill > tool default > global default. Taint,
 * session grants and trusted skills belong between `runOption` and `toolDefault`, in that order, and come with the
 * parts that know of them.
 *
 * @param confirm the configuration's word per tool; it stands in for the tool's own default.
 */
export function policyRules(confirm: Readonly<Record<string, boolean>>): readonly PolicyRule[] {
  return [runOption, toolDefault(confirm)];
}

/** Applies the rules in order; when none answers, the global default asks. Never throws. */
export function decide(rules: readonly PolicyRule[], call: PolicyCall): Promise<PolicyVerdict> {
  const chain = rules.reduceRight<() => Promise<PolicyVerdict>>(
    (rest, rule) => () => rule(call, rest),
    globalDefault,
  );
  return chain();
}

const runOption: PolicyRule = async ({ approve }, rest) => {
  if (approve === 'all') return { gate: 'run', why: 'run option: approve all' };
  const verdict = await rest();
  if (approve !== 'none' || verdict.gate !== 'ask') return verdict;
  return { gate: 'refuse', why: `run option: approve none (${verdict.why})` };
};

function toolDefault(confirm: Readonly<Record<string, boolean>>): PolicyRule {
  return async ({ tool, args }, rest) => {
    const configured = Object.hasOwn(confirm, tool.name) ? confirm[tool.name] : undefined;
    if (configured !== undefined) return verdictOf(configured, `configuration: confirm ${tool.name}`);
    try {
      // Awaited, although the type says boolean: an untyped `async` confirm must not pass as truthy or reject later.
      return verdictOf((await tool.confirm(args)) !== false, `tool default: ${tool.name}`);
    } catch {
      return rest();
    }
  };
}

const globalDefault = async (): Promise<PolicyVerdict> => ({ gate: 'ask', why: 'global default: ask' });

function verdictOf(asks: boolean, rule: string): PolicyVerdict {
  return asks ? { gate: 'ask', why: `${rule} asks` } : { gate: 'run', why: `${rule} does not ask` };
}
