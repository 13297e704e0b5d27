import { isObject, parseArguments } from '../../protocol/json.ts';
import { type FollowedSkill, isLike, type SkillRule, skillToolName } from '../../protocol/ports.ts';
import { normalPath, starMatcher } from '../files/glob.ts';
import { toolMatcher } from '../registry/name-patterns.ts';

/** Tools whose calls a pattern can match, and the argument that it matches. */
const fields: Readonly<Record<string, 'command' | 'path' | 'url'>> = {
  shell: 'command',
  read_file: 'path',
  write_file: 'path',
  edit_file: 'path',
  list_files: 'path',
  grep: 'path',
  http_get: 'url',
};

/** Whether a run that follows these skills may use a tool at all. A skill can only remove tools. */
export function isToolAllowed(tool: string, skills: readonly FollowedSkill[]): boolean {
  return skills.every(({ allowed }) => allowed === null || namesTool(allowed, tool));
}

/** The first of the skills that does not allow a call; null when all of them do. */
export function forbiddingSkill(
  tool: string,
  raw: string,
  skills: readonly FollowedSkill[],
): FollowedSkill | null {
  return (
    skills.find(({ allowed }) => allowed && !isItself(allowed, tool) && !matchesRule(allowed, tool, raw)) ??
    null
  );
}

/** The names of a skill whose `confirm-before` asks about the call, and of a trusted one that approves it. */
interface SkillVotes {
  asks: string | null;
  relaxes: string | null;
}

/**
 * Every followed skill asks about the calls in its `confirm-before`. A trusted skill with that field approves the other
 * calls in its own `allowed-tools`, unless the run also follows an untrusted skill.
 */
export function skillVotes(tool: string, raw: string, skills: readonly FollowedSkill[]): SkillVotes {
  const asks = skills.find(({ confirm }) => confirm && matchesRule(confirm, tool, raw));
  const mayRelax = !asks && skills.every(({ isTrusted }) => isTrusted);
  const relaxes = mayRelax
    ? skills.find(
        ({ isTrusted, confirm, allowed }) =>
          isTrusted && confirm && allowed && matchesRule(allowed, tool, raw),
      )
    : undefined;
  return { asks: asks?.name ?? null, relaxes: relaxes?.name ?? null };
}

function namesTool(rules: readonly SkillRule[], tool: string): boolean {
  return isItself(rules, tool) || toolMatcher(rules.map((rule) => rule.tool))(tool);
}

/** Whether this is the `skill` tool: a skill that allows any tool allows loading its own files. */
function isItself(rules: readonly SkillRule[], tool: string): boolean {
  return tool === skillToolName && rules.length > 0;
}

function matchesRule(rules: readonly SkillRule[], tool: string, raw: string): boolean {
  return rules.some(
    (rule) => toolMatcher([rule.tool])(tool) && (rule.pattern === null || fits(tool, raw, rule.pattern)),
  );
}

/** A pattern matches nothing for a tool without an entry in `fields`, because its meaning is unknown. */
function fits(tool: string, raw: string, pattern: string): boolean {
  const field = Object.hasOwn(fields, tool) ? fields[tool] : undefined;
  const args = parseArguments(raw);
  if (!field || !isObject(args)) return false;
  const value = args[field];
  if (typeof value !== 'string') return false;
  if (field === 'command') return fitsCommand(value, pattern);
  return field === 'path' ? fitsPath(value, pattern) : fitsUrl(value, pattern);
}

/** `*` matches within a name, `**` across folders; `docs/**` also matches `docs` itself. */
function fitsPath(path: string, pattern: string): boolean {
  const [at, form] = [normalPath(path), normalPath(pattern)].map((text) => text.replace(/\/$/, ''));
  if (at === undefined || form === undefined) return false;
  return isLike(at, form) || (form.endsWith('/**') && isLike(at, form.slice(0, -3)));
}

/** `domain:example.com` matches that host and its subdomains. */
function fitsUrl(url: string, pattern: string): boolean {
  const [, domain = ''] = /^domain:(.+)$/.exec(pattern) ?? [];
  const host = URL.parse(url)?.hostname.toLowerCase() ?? '';
  const wanted = domain.toLowerCase().replace(/^\*\./, '');
  return wanted !== '' && (host === wanted || host.endsWith(`.${wanted}`));
}

/**
 * The words of a command that consists of words only, as a shell would read them: text in single quotes, text in double
 * quotes without a substitution, and harmless characters. Null for a command that joins commands, writes to files,
 * substitutes or expands.
 */
export function plainWords(command: string): string[] | null {
  const words: string[] = [];
  const rest = command.replaceAll(/^[ \t\n]+|[ \t\n]+$/g, '');
  const word = /(?:'[^'\n]*'|"[^"$`\\!\n]*"|[\p{L}\p{M}\p{N}_.,:=+@%/-])+/uy;
  const gap = /[ \t]+/y;
  for (let at = 0; at < rest.length; ) {
    word.lastIndex = at;
    const found = word.exec(rest);
    if (!found) return null;
    words.push(found[0].replaceAll(/'([^']*)'|"([^"]*)"/g, '$1$2'));
    at = word.lastIndex;
    if (at === rest.length) break;
    gap.lastIndex = at;
    if (!gap.test(rest)) return null;
    at = gap.lastIndex;
  }
  return words.length > 0 ? words : null;
}

/**
 * Whether a command matches a pattern: `git status` matches exactly this command; `git status:*` and `git status *` match
 * it with any further plain words. A star within a word matches anything but a slash.
 */
export function fitsCommand(command: string, pattern: string): boolean {
  const words = plainWords(command);
  if (!words) return false;
  const [, prefix] = /^(.*?)(?::\*| \*)$/.exec(pattern) ?? [];
  const wanted = (prefix ?? pattern).trim().split(/\s+/);
  if (wanted.length > words.length || (prefix === undefined && wanted.length < words.length)) return false;
  return wanted.every((form, i) => fitsWord(words[i] ?? '', form));
}

function fitsWord(word: string, form: string): boolean {
  if (!form.includes('*')) return word === form;
  const folders = word.split('/');
  const forms = form.split('/');
  const isAlike =
    folders.length === forms.length && forms.every((one, i) => starMatcher(one)(folders[i] ?? ''));
  return isAlike && !word.includes('..');
}
