import { type Decider, deciders } from '../../protocol/enums.ts';
import { matchesGrant, type PlanContext } from '../../protocol/ports.ts';
import type { SideEffect, Tool } from '../../protocol/tool.ts';
import type { TaintView } from '../../protocol/views.ts';
import type { FileGuard } from '../files/file-guard.ts';
import { type PolicyFacts, type PolicyVerdict, resolvePolicy } from './resolve.ts';
import { skillVotes } from './skill-rules.ts';

interface PolicySettings {
  /** Per tool: whether a person is asked, in place of the tool's own default. */
  confirm: Readonly<Record<string, boolean | Decider>>;
  /** Whether someone else than who asked must approve calls of a tool. */
  fourEyes(tool: string): boolean;
  /** Whether calls that write or send need a person's approval while the conversation has untrusted text. */
  taint: 'confirm' | 'off';
  /** Which files always ask when a tool writes them. */
  files: FileGuard;
}

/** A validated call: `raw` is the text that the model wrote, `args` the parsed arguments. */
interface PolicyCall {
  tool: Tool;
  raw: string;
  args: unknown;
  sideEffect: SideEffect;
}

/** A verdict with what it rests on. */
interface Decided extends PolicyVerdict {
  facts: PolicyFacts;
}

/**
 * Decides on a call. Never rejects for what a tool's rules do: one that throws counts as silent. A grant only lets a call run, so
 * grants are read for one that would not.
 */
export async function decideByPolicy(
  call: PolicyCall,
  context: PlanContext,
  settings: PolicySettings,
): Promise<Decided> {
  const facts = await policyFacts(call, context, settings);
  const verdict = resolvePolicy(facts);
  if (verdict.gate === 'run') return { ...verdict, facts };
  const grants = (await context.grants?.()) ?? [];
  const { tool, raw } = call;
  const grant = grants.find((one) => one.tool === tool.name && matchesGrant(one.pattern, raw));
  if (!grant) return { ...verdict, facts };
  const granted = { ...facts, grant: grant.n };
  return { ...resolvePolicy(granted), facts: granted };
}

/** What the rules say about a call, without grants. */
export async function policyFacts(
  { tool, raw, args, sideEffect }: PolicyCall,
  { approve, approveGiven, workspace, tainted = [], skills = [] }: PlanContext,
  { confirm, fourEyes, taint, files }: PolicySettings,
): Promise<PolicyFacts> {
  const isBound = taint !== 'off' && tainted.length > 0 && sends(tool, args, sideEffect);
  const configured = Object.hasOwn(confirm, tool.name) ? (confirm[tool.name] ?? null) : null;
  const skill = skillVotes(tool.name, raw, skills);
  return {
    tool: tool.name,
    runOption: approve,
    isRequested: approveGiven,
    isFourEyes: fourEyes(tool.name),
    guarded: await guardedFile(tool, args, { workspace, files }),
    taint: isBound ? taintText(tainted) : null,
    grant: null,
    skill: skill.relaxes,
    askingSkill: skill.asks,
    configured,
    own: await ownWord(tool, args),
  };
}

/** The first guarded file that a call writes, in words. */
async function guardedFile(
  tool: Tool,
  args: unknown,
  { workspace, files }: { workspace: string | null; files: FileGuard },
): Promise<string | null> {
  const unclear = `${tool.name} cannot say which files it writes`;
  let paths: unknown;
  try {
    paths = tool.writes ? tool.writes(args) : [];
  } catch {
    return unclear;
  }
  if (paths === 'anything') return null;
  if (!Array.isArray(paths) || !paths.every((path) => typeof path === 'string')) return unclear;
  for (const path of paths) {
    const why = await files.whyGuarded(workspace, path);
    if (why !== null) return why;
  }
  return null;
}

/** Whether a call sends out what the model wrote; true if the tool's own answer fails, or is neither true nor false. */
function sends(tool: Tool, args: unknown, sideEffect: SideEffect): boolean {
  try {
    return tool.sends ? tool.sends(args) !== false : sideEffect !== 'readonly';
  } catch {
    return true;
  }
}

async function ownWord(tool: Tool, args: unknown): Promise<boolean | Decider | null> {
  try {
    // Awaited, although the type says boolean: an untyped `async` confirm must not pass as truthy or reject later.
    const said = await tool.confirm(args);
    return deciders.find((one) => one === said) ?? said !== false;
  } catch {
    return null;
  }
}

/** For the person who is asked: `http_get (c3), inbox (c5, in an earlier run)`. */
function taintText(sources: readonly TaintView[]): string {
  const names = sources.map(({ tool, call, earlier }) => {
    const facts = [...(call === null ? [] : [call]), ...(earlier ? ['in an earlier run'] : [])];
    return facts.length === 0 ? tool : `${tool} (${facts.join(', ')})`;
  });
  return names.join(', ');
}
