import { posix } from 'node:path';
import { isLike } from '../../ports/grant-pattern.ts';
import { type FollowedSkill, type SkillRule, skillToolName } from '../../ports/skill-source.ts';
import { isObject, parseJson } from '../../protocol/json.ts';
import { toolMatcher } from '../registry/name-patterns.ts';
import { fitsCommand } from './command-words.ts';

/** Tools whose calls a pattern tells apart, and by which of their arguments. */
const fields: Readonly<Record<string, 'command' | 'path' | 'url'>> = {
  shell: 'command',
  read_file: 'path',
  write_file: 'path',
  edit_file: 'path',
  list_files: 'path',
  grep: 'path',
  http_get: 'url',
};

/** Whether a run that follows these skills may use a tool at all. Each of them can only take tools away. */
export function isLeft(tool: string, skills: readonly FollowedSkill[]): boolean {
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

/** What skills say of asking a person: which one has the call asked about, and which one that is trusted does not. */
export interface SkillVoices {
  asks: string | null;
  relaxes: string | null;
}

/**
 * A skill that says what is asked about has all of that asked. It spares a person only what it names itself among the tools
 * that it allows, only when it is trusted, and only where no skill is followed that is not.
 */
export function skillVoices(tool: string, raw: string, skills: readonly FollowedSkill[]): SkillVoices {
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

/** A skill that allows anything allows to load its own files. */
function isItself(rules: readonly SkillRule[], tool: string): boolean {
  return tool === skillToolName && rules.length > 0;
}

function matchesRule(rules: readonly SkillRule[], tool: string, raw: string): boolean {
  return rules.some(
    (rule) => toolMatcher([rule.tool])(tool) && (rule.pattern === null || fits(tool, raw, rule.pattern)),
  );
}

/** A pattern of a tool that has none fits nothing: it is not known what was meant. */
function fits(tool: string, raw: string, pattern: string): boolean {
  const field = Object.hasOwn(fields, tool) ? fields[tool] : undefined;
  const args = parseJson(raw.trim() === '' ? '{}' : raw);
  if (!field || !isObject(args)) return false;
  const value = args[field];
  if (typeof value !== 'string') return false;
  if (field === 'command') return fitsCommand(value, pattern);
  return field === 'path' ? fitsPath(value, pattern) : fitsUrl(value, pattern);
}

/** `*` stands for a name, `**` for folders, too; `docs/**` means `docs` itself as well. */
function fitsPath(path: string, pattern: string): boolean {
  const [at, form] = [posix.normalize(path), posix.normalize(pattern)].map((text) => text.replace(/\/$/, ''));
  if (at === undefined || form === undefined) return false;
  return isLike(at, form) || (form.endsWith('/**') && isLike(at, form.slice(0, -3)));
}

/** `domain:example.com` means that host and those below it. */
function fitsUrl(url: string, pattern: string): boolean {
  const [, domain = ''] = /^domain:(.+)$/.exec(pattern) ?? [];
  const host = URL.parse(url)?.hostname.toLowerCase() ?? '';
  const wanted = domain.toLowerCase().replace(/^\*\./, '');
  return wanted !== '' && (host === wanted || host.endsWith(`.${wanted}`));
}
