import { ruleFor } from './rules/index.ts';
import type { DemoCall } from './rules/rule.ts';
import type { SmallTalk } from './small-talk.ts';
import type { ToolResult } from './turn.ts';
import type { Part } from './understand.ts';

/** What the demo will do for a message: at most two rounds of calls. */
export interface Plan {
  first: readonly DemoCall[];
  second: readonly LaterCall[];
  /** Tools that the message needs and the request does not offer. */
  missing: readonly string[];
  /** Tools that the demo does not call: they change something, and it did not understand part of the message. */
  withheld: readonly string[];
  unknown: readonly string[];
  talk: ReadonlySet<SmallTalk>;
}

/** A call of the second round; `source` is the call of the first whose result it takes. */
interface LaterCall {
  call: DemoCall;
  source: DemoCall | null;
}

/** Sorts the parts of a message into calls of the first round, calls of the second round, and remarks. */
export function planFor(parts: readonly Part[], offered: ReadonlySet<string>): Plan {
  const { first, second, orphans } = inRounds(parts);
  const unknown = [...parts.flatMap((part) => (part.kind === 'unknown' ? [part.text] : [])), ...orphans];
  const isOffered = ({ tool }: DemoCall): boolean => offered.has(tool);
  const isHeldBack = ({ tool }: DemoCall): boolean => unknown.length > 0 && ruleFor(tool)?.changes === true;
  const goes = (call: DemoCall): boolean => isOffered(call) && !isHeldBack(call);

  const all = [...first, ...second.map(({ call }) => call)];
  const now = first.filter(goes);
  const later = second.filter(({ call, source }) => goes(call) && (source === null || now.includes(source)));
  return {
    // Without calls in the first round there is no result to wait for: the second round becomes the first.
    first: now.length > 0 ? now : later.map(({ call }) => call),
    second: now.length > 0 ? later : [],
    missing: toolsOf(all.filter((call) => !isOffered(call))),
    withheld: toolsOf(all.filter((call) => isOffered(call) && isHeldBack(call))),
    unknown,
    talk: new Set(parts.flatMap((part) => (part.kind === 'talk' ? [part.talk] : []))),
  };
}

/** The second round, with results filled in; empty unless every call of the first round succeeded. */
export function secondRound(plan: Plan, results: readonly ToolResult[]): DemoCall[] {
  const isAsPlanned = plan.first.length === results.length;
  const succeeded = plan.first.every(({ tool }, index) => {
    const result = results[index];
    return result?.tool === tool && !result.isError;
  });
  if (!isAsPlanned || !succeeded) return [];
  const calls = plan.second.map(({ call, source }) => {
    const result = source && results[plan.first.indexOf(source)];
    return result ? withResult(call, result) : call;
  });
  return calls.every((call) => call !== null) ? calls : [];
}

function withResult(call: DemoCall, { tool, args, text }: ToolResult): DemoCall | null {
  const rule = ruleFor(tool);
  const usable = rule?.handOn ? rule.handOn(args, text) : text;
  if (usable === null || call.takesResultAs === undefined) return null;
  return { tool: call.tool, args: { ...call.args, [call.takesResultAs]: usable } };
}

/** Everything from the first call that needs a result on waits for it, so that the order of the message is kept. */
function inRounds(parts: readonly Part[]): { first: DemoCall[]; second: LaterCall[]; orphans: string[] } {
  const first: DemoCall[] = [];
  const second: LaterCall[] = [];
  const orphans: string[] = [];
  for (const part of parts) {
    if (part.kind !== 'call') continue;
    const { call, text } = part;
    if (call.takesResultAs === undefined) {
      if (second.length === 0) first.push(call);
      else second.push({ call, source: null });
      continue;
    }
    // "It" means the result of the first round. After another call of the second round it would need a third round.
    const source = second.some((later) => later.source === null) ? undefined : first.at(-1);
    if (source) second.push({ call, source });
    else orphans.push(text);
  }
  return { first, second, orphans };
}

function toolsOf(calls: readonly DemoCall[]): string[] {
  return [...new Set(calls.map(({ tool }) => tool))];
}
