import { DetentError } from '../../protocol/error.ts';
import { endOfSkill, type FollowedSkill, type SkillRule, skillHeading } from '../../protocol/ports.ts';
import { didYouMean } from '../../text/wording.ts';

/** A skill with its text. */
export interface LoadedSkill {
  skill: FollowedSkill;
  /** Without the frontmatter. */
  body: string;
  /** Its folder, as a path for a shell in the workspace. */
  folder: string;
  /** Its files besides `SKILL.md`; null when there are too many to list. */
  files: readonly string[] | null;
}

/** Of the tool that loads skills, for the model. */
export const skillToolDescription =
  'Loads a skill: instructions for a kind of task. When the request is what a skill describes, load that skill before ' +
  'you begin, unless you see its text already. When none clearly fits, load none.';

/** In the place of `$ARGUMENTS` when the model names no words. */
export const wordsOfUser = '(what the user has asked for)';

/** Replaces every `$ARGUMENTS` by the words, unchanged. */
export function withArguments(body: string, words: string): string {
  return body.split('$ARGUMENTS').join(words);
}

/** The text of a skill for the model. */
export function skillText(
  { skill, body, folder, files }: LoadedSkill,
  { words, isInvoked }: { words: string; isInvoked: boolean },
): string {
  const { name, allowed } = skill;
  const notes = [
    ...(files?.length === 0 ? [] : [`Its folder is ${folder}. ${fileNote(name, files)}`]),
    ...(allowed ? [`While it is followed only these tools can be used: ${rulesInWords(allowed)}.`] : []),
  ];
  return [
    `${skillHeading} ${name}, ${isInvoked ? 'chosen by the user: follow it for this request' : 'follow it for this task'}]`,
    withArguments(body, words).trim(),
    ...(notes.length > 0 ? ['', ...notes] : []),
    `${endOfSkill} ${name}]`,
  ].join('\n');
}

const maxNamed = 40;

function fileNote(name: string, files: readonly string[] | null): string {
  const read = `Read one with the tool skill: ${JSON.stringify({ name, file: files?.[0] ?? 'path/in/the/folder' })}.`;
  if (!files) return `It has many files. ${read}`;
  const more = files.length > maxNamed ? `, and ${files.length - maxNamed} more` : '';
  return `It has the files ${files.slice(0, maxNamed).join(', ')}${more}. ${read}`;
}

/** `shell (git:*), read_file`; "none" for an empty list. */
function rulesInWords(rules: readonly SkillRule[]): string {
  if (rules.length === 0) return 'none';
  return rules.map(ruleInWords).join(', ');
}

/** `shell (git:*)`. */
export function ruleInWords({ tool, pattern }: SkillRule): string {
  return pattern === null ? tool : `${tool} (${pattern})`;
}

/** Names of our tools in other clients. `Bash` includes the two tools for background commands. */
const ourNames: Readonly<Record<string, readonly string[]>> = {
  Bash: ['shell', 'shell_output', 'shell_kill'],
  BashOutput: ['shell_output'],
  KillShell: ['shell_kill'],
  Read: ['read_file'],
  Write: ['write_file'],
  Edit: ['edit_file'],
  MultiEdit: ['edit_file'],
  Glob: ['list_files'],
  LS: ['list_files'],
  Grep: ['grep'],
  WebFetch: ['http_get'],
  Task: ['task'],
  TodoWrite: ['todo'],
  AskUserQuestion: ['ask_user'],
  Skill: ['skill'],
};

/**
 * The tools that a field of the frontmatter names: `Bash(git:*) Read`, or a list. Null without the field, which differs
 * from an empty list.
 */
export function toolEntries(field: unknown): string[] | null {
  if (field === undefined || field === null) return null;
  const texts = (Array.isArray(field) ? field : [field]).filter((entry) => typeof entry === 'string');
  return texts.flatMap((text) => text.match(entryForm) ?? []);
}

/** A name, and in parentheses a pattern. A name whose parentheses do not end is no entry: it would mean all calls. */
const entryForm = /(?<![^\s,])[^\s,()]+(?:\([^)]*\))?(?![^\s,])/g;

/** Whether a text consists of entries alone. */
export function hasWholeEntries(text: string): boolean {
  return /^[\s,]*$/.test(text.replaceAll(entryForm, ''));
}

/** The entries as rules with our names, without duplicates: `Bash(git:*)` is `shell` with the pattern `git:*`. */
export function toolRules(entries: readonly string[]): SkillRule[] {
  const rules = entries.flatMap((entry) => {
    const [, name = entry, written] = /^([^(]+)\((.*)\)$/.exec(entry) ?? [];
    const pattern = written === undefined || /^(?:|:?\*)$/.test(written.trim()) ? null : written.trim();
    const names = Object.hasOwn(ourNames, name) ? (ourNames[name] ?? []) : [name];
    return names.map((tool, i) => ({ tool, pattern: i === 0 ? pattern : null }));
  });
  return [...new Map(rules.map((rule) => [`${rule.tool} ${rule.pattern ?? ''}`, rule])).values()];
}

/** The entries that name no tool. `isKnown` gets our own names. */
export function unknownEntries(entries: readonly string[], isKnown: (tool: string) => boolean): string[] {
  return entries.filter((entry) => !toolRules([entry]).every(({ tool }) => isKnown(tool)));
}

/** The `UNKNOWN_SKILL` error. @param names of the skills that there are */
export function unknownSkill(name: string, names: readonly string[]): DetentError {
  const known = names.length === 0 ? 'there are none' : `there are ${names.slice(0, 50).join(', ')}`;
  return new DetentError(
    'UNKNOWN_SKILL',
    `there is no skill "${name.slice(0, 100)}"${didYouMean(name, names)}; ${known}`,
    { details: { name } },
  );
}
