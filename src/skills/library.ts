import { basename, dirname, relative } from 'node:path';
import { DetentError, messageOf } from '../protocol/error.ts';
import {
  type FollowedSkill,
  type InvokedSkill,
  maxCandidates,
  type SkillCard,
  type SkillScore,
  type SkillSource,
  type UnknownSkill,
} from '../protocol/ports.ts';
import { reasonText } from '../protocol/views.ts';
import { detentHome, readWholeSync } from '../text/files.ts';
import { nearestName } from '../text/wording.ts';
import { Approvals } from './files/approvals.ts';
import { type Found, SkillCatalogue } from './files/catalogue.ts';
import type { ParsedSkill } from './files/parse-skill.ts';
import { maxSkillBytes } from './files/read-head.ts';
import { type RootOptions, type SkillRoot, skillRoots } from './files/roots.ts';
import { type FoundSkill, isInside } from './files/scan.ts';
import { filesOf, hashOf, readSkillFile } from './files/skill-files.ts';
import { type LoadedSkill, skillText, toolRules, unknownSkill } from './files/skill-text.ts';

/** Ranks the skills that match an input, best first. Callers pass the same array as long as its skills are unchanged. */
export type SkillScorer = (input: string, skills: readonly SkillCard[]) => SkillScore[];

interface SkillLibraryOptions extends RootOptions {
  /** The skills that may be used, as names and patterns; null = all. */
  allowed?: readonly string[] | null;
  /** The skills that must not be used; overrides `allowed`. */
  disabled?: readonly string[];
  /** Hashes that the configuration trusts. */
  approved?: readonly string[];
  /** Makes a predicate for the names that a list of names and patterns matches. */
  matcher(names: readonly string[]): (name: string) => boolean;
  scorer: SkillScorer;
  /** False: folders are checked on each use, and never watched. */
  isWatching?: boolean;
}

/** The skills of a workspace: found, ranked, loaded and trusted. */
export class SkillLibrary implements SkillSource {
  readonly #options: SkillLibraryOptions;
  readonly #catalogue: SkillCatalogue;
  readonly #approvals: Approvals;
  readonly #isOn: (name: string) => boolean;
  readonly #cards = new WeakMap<FoundSkill, SkillCard>();
  #listed: { found: Found | null; cards: Map<string, readonly SkillCard[]> } = {
    found: null,
    cards: new Map(),
  };

  constructor(options: SkillLibraryOptions) {
    this.#options = options;
    this.#catalogue = new SkillCatalogue(skillRoots(options), { isWatching: options.isWatching ?? true });
    this.#approvals = new Approvals(detentHome(options.env), options.approved);
    const isAllowed = options.allowed ? options.matcher(options.allowed) : () => true;
    const isDisabled = options.matcher(options.disabled ?? []);
    this.#isOn = (name) => isAllowed(name) && !isDisabled(name);
  }

  ready(): Promise<void> {
    return this.#catalogue.refresh();
  }

  /**
   * Names in `allowed` and `disabled` that no skill has, patterns left out. They are no error: the skill may be added later,
   * and one that is disabled may have gone.
   */
  async unknownNames(): Promise<UnknownSkill[]> {
    const known = (await this.found()).skills.map(({ name }) => name);
    const { allowed, disabled = [] } = this.#options;
    return [
      ...(allowed ?? []).map((name) => ({ field: 'skills.allowed' as const, name })),
      ...disabled.map((name) => ({ field: 'skills.disabled' as const, name })),
    ]
      .filter(({ name }) => !name.includes('*') && !known.includes(name))
      .map((unknown) => ({ ...unknown, nearest: nearestName(unknown.name, known) }));
  }

  cards(allowed: readonly string[] | null): readonly SkillCard[] {
    const { found } = this.#catalogue;
    // Called before every model call: return the same list as long as the skills are unchanged.
    if (this.#listed.found !== found) this.#listed = { found, cards: new Map() };
    const key = allowed === null ? '' : `only ${allowed.join(' ')}`;
    const known = this.#listed.cards.get(key);
    if (known) return known;
    const cards = this.#usable(allowed)
      .filter(({ isForModels }) => isForModels)
      .map((skill) => this.#cardOf(skill));
    this.#listed.cards.set(key, cards);
    return cards;
  }

  rank(input: string, cards: readonly SkillCard[]): readonly SkillScore[] {
    return this.#options.scorer(input, cards);
  }

  /** The skills that match the best of several queries for the same thing, best first. */
  async find(
    queries: readonly string[],
    allowed: readonly string[] | null,
  ): Promise<{ found: readonly SkillCard[]; of: number }> {
    await this.ready();
    const cards = this.cards(allowed);
    const best = new Map<string, number>();
    for (const query of queries)
      for (const { name, score } of this.rank(query, cards))
        best.set(name, Math.max(score, best.get(name) ?? 0));
    const found = cards
      .filter(({ name }) => best.has(name))
      .sort((a, b) => (best.get(b.name) ?? 0) - (best.get(a.name) ?? 0));
    return { found: found.slice(0, maxCandidates), of: cards.length };
  }

  async invoke(prompt: string, allowed: readonly string[] | null): Promise<InvokedSkill | null> {
    const [, name, words = ''] = /^\/(\S+)(?:\s+([\s\S]*))?$/.exec(prompt.trimEnd()) ?? [];
    if (name === undefined) return null;
    await this.ready();
    const found = this.#usable(allowed).find((skill) => skill.name === name && skill.isForPeople);
    if (!found) return null;
    const loaded = await this.#load(found);
    return { skill: loaded.skill, text: skillText(loaded, { words, isInvoked: true }) };
  }

  /**
   * Checks that people can choose a skill.
   *
   * @param allowed the skills that may be used; null = all.
   * @throws DetentError `UNKNOWN_SKILL`.
   */
  async requireForPeople(name: string, allowed: readonly string[] | null): Promise<void> {
    await this.ready();
    const names = this.#usable(allowed).flatMap((skill) => (skill.isForPeople ? [skill.name] : []));
    if (!names.includes(name)) throw unknownSkill(name, names);
  }

  async isTrusted({ name, hash }: Pick<FollowedSkill, 'name' | 'hash'>): Promise<boolean> {
    const found = this.#catalogue.found.skills.find((skill) => skill.name === name);
    if (!found || hash === null) return false;
    return (await hashOf(found.folder).catch(() => null)) === hash && this.#trusts(found.root, hash);
  }

  /** Whether it is trusted with its current files. */
  async trusts({ root, folder }: FoundSkill): Promise<boolean> {
    // Bundled skills need no look at their files.
    const hash = root.from === 'bundled' ? '' : await hashOf(folder).catch(() => null);
    return hash !== null && this.#trusts(root, hash);
  }

  /**
   * Loads the text of a skill that a model has chosen.
   *
   * @param allowed the skills that the run may use; null = all.
   * @param followed the skills that the run follows already, including those that only people can choose.
   * @throws DetentError `UNKNOWN_SKILL`, `SKILL_UNREADABLE`.
   */
  async load(
    name: string,
    { allowed, followed }: { allowed: readonly string[] | null; followed: readonly string[] },
  ): Promise<LoadedSkill> {
    await this.ready();
    const usable = this.#usable(allowed).filter(
      (skill) => skill.isForModels || followed.includes(skill.name),
    );
    const found = usable.find((skill) => skill.name === name);
    if (!found)
      throw unknownSkill(
        name,
        usable.map((skill) => skill.name),
      );
    return this.#load(found);
  }

  /** @throws ToolFailure as {@link readSkillFile} does. */
  readFile({ skill }: LoadedSkill, path: string): Promise<string> {
    const found = this.#catalogue.found.skills.find(({ name }) => name === skill.name);
    if (!found) throw unknownSkill(skill.name, []);
    return readSkillFile(found.folder, path);
  }

  /** Everything that was found, after a check of the folders. */
  async found(): Promise<Found> {
    await this.#catalogue.refresh({ force: true });
    return this.#catalogue.found;
  }

  /** Stops all watchers. */
  close(): void {
    this.#catalogue.close();
  }

  get roots(): readonly SkillRoot[] {
    return this.#catalogue.roots;
  }

  /** Skill folders outside of the workspace, which a shell may have to read; absolute paths. */
  get folders(): readonly string[] {
    return this.roots.filter(({ from }) => from !== 'project').map(({ folder }) => folder);
  }

  /** Why runs may not use it; null when they may. */
  whyDisabled(name: string): string | null {
    const { allowed, disabled = [], matcher } = this.#options;
    if (matcher(disabled)(name)) return reasonText('config_disables', { field: 'skills.disabled' });
    return allowed && !matcher(allowed)(name)
      ? reasonText('config_leaves_out', { field: 'skills.allowed' })
      : null;
  }

  /** A whole skill by name. @throws DetentError `NOT_FOUND`, `SKILL_UNREADABLE`. */
  async show(name: string): Promise<{ found: FoundSkill; parsed: ParsedSkill; loaded: LoadedSkill }> {
    const { skills } = await this.found();
    const found = skills.find((skill) => skill.name === name);
    if (!found) {
      const names = skills.map((skill) => skill.name);
      throw new DetentError('NOT_FOUND', unknownSkill(name, names).message, { details: { name } });
    }
    const parsed = await readWhole(found);
    return { found, parsed, loaded: await this.#load(found, parsed) };
  }

  /** Approves a skill with all of its files as they are. @throws DetentError `NOT_FOUND`, `SKILL_TOO_LARGE`. */
  async approve(name: string): Promise<string> {
    const { loaded } = await this.show(name);
    const { hash } = loaded.skill;
    if (hash === null)
      throw new DetentError(
        'SKILL_TOO_LARGE',
        `the skill "${name}" cannot be approved: it has a link, or more files than can be looked at`,
      );
    await this.#approvals.add(name, hash);
    return hash;
  }

  /** What people approved. @throws DetentError `SKILL_APPROVALS_UNREADABLE`. */
  approved(): Promise<{ name: string; hash: string; at: string }[]> {
    return this.#approvals.list();
  }

  /** Revokes all approvals of a skill; returns how many. */
  revoke(name: string): Promise<number> {
    return this.#approvals.remove(name);
  }

  #usable(allowed: readonly string[] | null): FoundSkill[] {
    const isAllowed = allowed ? this.#options.matcher(allowed) : () => true;
    return this.#catalogue.found.skills.filter(({ name }) => this.#isOn(name) && isAllowed(name));
  }

  #cardOf(skill: FoundSkill): SkillCard {
    const known = this.#cards.get(skill);
    if (known) return known;
    const { name, description, metadata } = skill;
    const { keywords } = metadata;
    const card = { name, description: oneLine(description), ...(keywords !== undefined && { keywords }) };
    this.#cards.set(skill, card);
    return card;
  }

  async #load(found: FoundSkill, read?: ParsedSkill): Promise<LoadedSkill> {
    const parsed = read ?? (await readWhole(found));
    const hash = await hashOf(found.folder);
    const files = await filesOf(found.folder);
    return {
      skill: {
        name: found.name,
        from: found.root.from,
        hash,
        isTrusted: hash !== null && (await this.#trusts(found.root, hash)),
        allowed: parsed.allowedTools && toolRules(parsed.allowedTools),
        confirm: parsed.confirmBefore && toolRules(parsed.confirmBefore),
      },
      body: parsed.body,
      folder: this.#shownFolder(found),
      files: files?.filter((file) => file !== 'SKILL.md') ?? null,
    };
  }

  async #trusts({ from }: SkillRoot, hash: string): Promise<boolean> {
    return from === 'bundled' || this.#approvals.has(hash);
  }

  #shownFolder({ folder }: FoundSkill): string {
    const { workspace } = this.#options;
    return workspace !== null && isInside(workspace, folder) ? relative(workspace, folder) || '.' : folder;
  }
}

const maxShownChars = 600;

/** A description on one line, so that it cannot pose as further entries of the list. */
function oneLine(description: string): string {
  const line = description.replaceAll(/[\p{Cc}\p{Zl}\p{Zp}]+/gu, ' ').trim();
  return line.length > maxShownChars ? `${line.slice(0, maxShownChars - 1)}…` : line;
}

/** @throws DetentError `SKILL_UNREADABLE` when the file is no longer a valid skill. */
async function readWhole({ path }: FoundSkill): Promise<ParsedSkill> {
  const { parseSkill } = await import('./files/parse-skill.ts');
  const parsed = parseSkill(readSkillText(path), basename(dirname(path)));
  if (parsed.errors.length > 0)
    throw new DetentError('SKILL_UNREADABLE', `${path}: ${parsed.errors.join('; ')}`);
  return parsed;
}

function readSkillText(path: string): string {
  try {
    const bytes = readWholeSync(path);
    if (bytes.length > maxSkillBytes) throw new Error(`it has more than ${maxSkillBytes} bytes`);
    return bytes.toString('utf8');
  } catch (error) {
    throw new DetentError('SKILL_UNREADABLE', `${path} cannot be read: ${messageOf(error)}`, {
      cause: error,
    });
  }
}
