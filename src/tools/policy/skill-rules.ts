import { posix } from 'node:path';
import { isLike } from '../../ports/grant-pattern.ts';
import { type FollowedSkill, type SkillRule, skillToolName } from '../../ports/skill-source.ts';
import { isObject, parseJson } from '../../protocol/json.ts';
import { toolMatcher } from '../registry/name-patterns.ts';
import { fitsCommand } from './command-words.ts';

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
  const args = parseJson(raw.trim() === '' ? '{}' : raw);
  if (!field || !isObject(args)) return false;
  const value = args[field];
  if (typeof value !== 'string') return false;
  if (field === 'command') return fitsCommand(value, pattern);
  return field === 'path' ? fitsPath(value, pattern) : fitsUrl(value, pattern);
}

/** `*` matches within a name, `**` across folders; `docs/**` also matches `docs` itself. */
function fitsPath(path: string, pattern: string): boolean {
  const [at, form] = [posix.normalize(path), posix.normalize(pattern)].map((text) => text.replace(/\/$/, ''));
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
