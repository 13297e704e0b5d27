/**
 * Why policy let a call run, asks about it or refuses it, by code: how each rule reads in the log, in `why` of a call, and where a
 * person is asked. A page has the same codes in other languages.
 */
const reasons = {
  run_approves_all: 'run option: approve all',
  run_approves_none: 'run option: approve none',
  run_refuses: 'run option: approve none ({why})',
  run_takes_one: 'run option: one client call',
  config_approves_all: 'configuration: approve all',
  config_four_eyes: 'configuration: someone else must approve {tool} (fourEyes)',
  config_staff: 'configuration: staff must approve {tool}',
  config_asks: 'configuration: confirm {tool} asks',
  config_asks_user: 'configuration: confirm {tool} asks the user',
  config_does_not_ask: 'configuration: confirm {tool} does not ask',
  config_confirms: 'configuration: confirm {tool}',
  config_disables: 'configuration: {field} has it',
  config_leaves_out: 'configuration: {field} does not have it',
  tool_staff: 'tool default: staff must approve {tool}',
  tool_asks: 'tool default: {tool} asks',
  tool_asks_user: 'tool default: {tool} asks the user',
  tool_does_not_ask: 'tool default: {tool} does not ask',
  tool_default: 'tool default: {tool}',
  guarded: 'guarded: {file}',
  taint: 'taint: {sources}',
  session_grant: 'session grant {grant}',
  skill_asks: 'confirm-before of skill {skill}',
  skill_allows: 'trusted skill: {skill}',
  global_default: 'global default: ask',
  agent_asks: 'the agent asks',
} as const;

export type ReasonCode = keyof typeof reasons;

/** A rule that decided on a call, with what it names. */
export interface PolicyReason {
  code: ReasonCode;
  params: Readonly<Record<string, string>>;
  /** The rules that it overrode, as they read; null if there are none. */
  over: string | null;
}

/** Names of tools, skills and fields have no blanks; all else that a reason names may. */
const words: Readonly<Record<string, string>> = { tool: '\\S+', skill: '\\S+', field: '\\S+', grant: '\\d+' };

const patterns = Object.entries(reasons).map(([code, text]) => {
  const names: string[] = [];
  const source = text
    .replace(/[.()]/g, '\\$&')
    .replace(/\{(\w+)\}/g, (_, name: string) => `(${names.push(name) && (words[name] ?? '.+?')})`);
  return { code: code as ReasonCode, names, pattern: new RegExp(`^${source}(?:, over (.+))?$`, 's') };
});

/** Before the names in a reason: what a rule of another version begins with, too. */
const heads = Object.values(reasons).flatMap((text) => /^(.+?)(?:: | \{)/.exec(text)?.[1] ?? []);

/** How a rule reads. @param params the values that its text names */
export function reasonText(code: ReasonCode, params: Readonly<Record<string, string | number>> = {}): string {
  return reasons[code].replace(/\{(\w+)\}/g, (_, name: string) => String(params[name] ?? ''));
}

/** The rule that a stored `why` names first, before those that it overrode; null for other words, such as a question of a chart. */
export function readReason(why: string): PolicyReason | null {
  for (const { code, names, pattern } of patterns) {
    const found = pattern.exec(why);
    if (!found) continue;
    const params = Object.fromEntries(names.map((name, i) => [name, found[i + 1] ?? '']));
    return { code, params, over: found[names.length + 1] ?? null };
  }
  return null;
}

/** Whether a `why` was written by a rule, also by one that only another version knows. */
export function isOfRule(why: string): boolean {
  return (
    readReason(why) !== null || heads.some((head) => why.startsWith(`${head}:`) || why.startsWith(`${head} `))
  );
}
