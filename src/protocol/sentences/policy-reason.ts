import { budgetErrors } from './budget-error.ts';
import { type Sentence, type SentenceValue, withValues } from './fill.ts';
import { loopErrors, modelErrors, modelErrorsForClients, triedModel } from './model-error.ts';
import { offReasonOf, offReasons } from './off-reason.ts';
import { readBack } from './read-back.ts';
import { skillProblemOf, skillProblems } from './skill-problem.ts';

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
  guarded_program: 'guarded: {file}, by which {program} can be made to execute something',
  guarded_outside: 'guarded: {file}, a file of no workspace',
  guarded_unclear: 'guarded: {tool} cannot say which files it writes',
  guarded: 'guarded: {file}',
  taint: 'taint: {sources} brought untrusted text',
  session_grant: 'session grant {grant}',
  skill_asks: 'confirm-before of skill {skill}',
  skill_allows: 'trusted skill: {skill}',
  global_default: 'global default: ask',
  agent_asks: 'the agent asks',
} as const;

/** Why a call is asked about that no rule decided on. */
const occasions = {
  asks_while_running: 'the tool asks while it is running',
  died_while_running: 'the process died while this call was running',
  made_in_original: 'this call may have been made already, in the original of this fork',
  arguments_changed: 'a person changed the arguments',
  workflow_asks: 'the workflow asks',
} as const;

/** The rules, as a client without the scope `admin` reads them. */
const forClients = {
  service_rules: 'the rules of this service say so',
  outside_text: 'this conversation has text from outside',
  someone_else: 'someone else must approve this',
  for_operators: 'What happened here is for the operator of the gateway.',
} as const;

const written = { ...reasons, ...occasions };

/** Reasons that name what they overrode. */
function decided(): Record<string, string> {
  return Object.fromEntries(Object.entries(written).map(([code, text]) => [code, `${text}[, over {over}]`]));
}

/** How each reason reads in English, for `fill`. */
export const reasonTemplates: Readonly<Record<string, string>> = /* @__PURE__ */ allTemplates();

function allTemplates(): Record<string, string> {
  return {
    ...decided(),
    ...offReasons,
    ...modelErrors,
    ...loopErrors,
    ...triedModel,
    ...budgetErrors,
    ...forClients,
    ...modelErrorsForClients,
    ...skillProblems,
    source: '{tool}[ ({call})]',
    source_earlier: '{tool} ([{call}, ]in an earlier run)',
    reason_words: '{text}',
  };
}

/** Names of tools, skills and fields have no blanks; all else that a reason names may. */
const words: Readonly<Record<string, string>> = {
  tool: '\\S+',
  skill: '\\S+',
  field: '\\S+',
  grant: '\\d+',
};

/**
 * The reason that a text gives, by its code, with what it names and the rules that it overrode (`over`): why policy decided. Null for
 * other words, such as a question of a chart.
 */
export const reasonOf = /* @__PURE__ */ readBack(decided, words, readValue);

/** How a reason reads. @param params the values that its text names */
export function reasonText(
  code: keyof typeof written,
  params: Readonly<Record<string, string | number>> = {},
): string {
  return withValues(written[code], params);
}

function readValue(name: string, value: string): SentenceValue {
  switch (name) {
    case 'why':
      return reasonOf(value) ?? wordsOf(value);
    case 'over':
      return reasonsIn(value);
    case 'sources':
      return sourcesIn(value);
    default:
      return value;
  }
}

/** `http_get (c3), inbox (c5, in an earlier run)`. */
function sourcesIn(text: string): Sentence[] {
  return [...text.matchAll(/([^\s,(]+)(?: \(([^)]*)\))?/g)].map(([, tool = '', facts = '']) => {
    const call = /^c\d+/.exec(facts)?.[0];
    const code = facts.endsWith('in an earlier run') ? 'source_earlier' : 'source';
    return { code, params: { tool, ...(call && { call }) } };
  });
}

/** Of a list, whose reasons may have commas of their own. */
function reasonsIn(text: string): Sentence[] {
  const parts = text.split(', ');
  for (let n = 1; n <= parts.length; n++) {
    const reason = reasonOf(parts.slice(0, n).join(', '));
    if (reason) return [reason, ...(n === parts.length ? [] : reasonsIn(parts.slice(n).join(', ')))];
  }
  return [wordsOf(text)];
}

function wordsOf(text: string): Sentence {
  return { code: 'reason_words', params: { text } };
}

/** The same as a sentence in any case: words that are of no rule are said as they are. */
export function saidReason(why: string): Sentence {
  return reasonOf(why) ?? offReasonOf(why) ?? skillProblemOf(why) ?? wordsOf(why);
}

/** Whether a `why` was written by a rule, also by one that only another version knows. */
export function isOfRule(why: string): boolean {
  const code = reasonOf(why)?.code;
  if (code !== undefined) return Object.hasOwn(reasons, code);
  // What stands before the names in a reason: a rule of another version begins with it, too.
  const heads = Object.values(reasons).flatMap((text) => /^(.+?)(?:: | \{)/.exec(text)?.[1] ?? []);
  return heads.some((head) => why.startsWith(`${head}:`) || why.startsWith(`${head} `));
}

/** A reason as a client without the scope `admin` reads it: the rules of the service are its operator's. */
export function reasonForClients(reason: Sentence): Sentence {
  const { code } = reason;
  if (code === 'reason_words') {
    const isRule = typeof reason.params.text === 'string' && isOfRule(reason.params.text);
    return isRule ? forClient('service_rules') : reason;
  }
  if ([modelErrors, loopErrors, budgetErrors].some((all) => Object.hasOwn(all, code)))
    return forClient('for_operators');
  if (Object.hasOwn(offReasons, code)) return forClient('service_rules');
  if (code === 'agent_asks' || !Object.hasOwn(reasons, code)) return reason;
  if (code === 'taint') return forClient('outside_text');
  return forClient(code === 'config_four_eyes' ? 'someone_else' : 'service_rules');
}

/** How such a client reads a stored `why`. */
export function textForClients(why: string): string {
  const reason = saidReason(why);
  const read = reasonForClients(reason);
  return read === reason ? why : (reasonTemplates[read.code] ?? why);
}

function forClient(code: keyof typeof forClients): Sentence {
  return { code, params: {} };
}
