import { choose } from '../../agent/skills.ts';
import type { MethodOutput } from '../../protocol/methods.ts';
import type { SkillScore } from '../../protocol/ports.ts';
import { reasonOf, saidReason } from '../../protocol/views.ts';
import type { SkillLibrary } from '../../skills/library.ts';
import { type FoundSkill, ruleInWords, toolRules } from '../../skills/skills.ts';

/** A skill, for display. */
export type SkillView = SkillList['skills'][number];

/** All skills, and the files that cannot be used. */
export interface SkillList extends Required<MethodOutput<'skill.list'>['skills']> {}

/** A skill with its text. */
export interface SkillDetails extends MethodOutput<'skill.get'> {}

/** Which skills an input names or matches. */
export interface SkillWhy {
  input: string;
  /** The skill that the input names by `/name`; null if it names none. */
  named: string | null;
  offered: number;
  mode: 'listed' | 'ranked';
  /** The skills that match by their words, best first. In mode `ranked` the model sees only these. */
  scores: readonly SkillScore[];
}

/** Reads the skills of a tenant (default 1); starts no run. Throws `UNKNOWN_TENANT`. */
export interface DetentSkills {
  list(tenantId?: number): Promise<SkillList>;
  /** Throws `NOT_FOUND`, `SKILL_UNREADABLE`. */
  show(name: string, tenantId?: number): Promise<SkillDetails>;
  /**
   * The skills, with the state of their files, that people approved in this `DETENT_HOME`. Throws
   * `SKILL_APPROVALS_UNREADABLE`.
   */
  approved(tenantId?: number): Promise<{ name: string; hash: string; at: string }[]>;
  /** Revokes all approvals of a skill, so that runs no longer trust it. Returns how many. Throws `SKILL_APPROVALS_UNREADABLE`. */
  revoke(name: string, tenantId?: number): Promise<number>;
  /** The skills that a run with this prompt would be offered. */
  why(input: string, tenantId?: number): Promise<SkillWhy>;
}

/**
 * The skills of a library, for display.
 *
 * @internal
 */
export function skillViews(library: SkillLibrary): DetentSkills {
  return {
    async list() {
      const { skills, bad, shadowed } = await library.found();
      return {
        skills: await Promise.all(
          skills.map(async (skill) => skillView(library, skill, shadowed, await library.trusts(skill))),
        ),
        bad: bad.map(({ path, reasons }) => ({
          path,
          reasons: [...reasons],
          sentences: reasons.map(saidReason),
        })),
        unknown: await library.unknownNames(),
        folders: library.roots.map(({ folder, from }) => ({ folder, from })),
      };
    },
    async show(name) {
      const { found, parsed, loaded } = await library.show(name);
      const { title, summary, checklist, license, compatibility, metadata, body } = parsed;
      const { hash, isTrusted } = loaded.skill;
      const { shadowed } = await library.found();
      return {
        ...skillView(library, found, shadowed, isTrusted),
        title,
        summary,
        checklist,
        license,
        compatibility,
        metadata,
        allowed: parsed.allowedTools && toolRules(parsed.allowedTools).map(ruleInWords),
        confirm: parsed.confirmBefore && toolRules(parsed.confirmBefore).map(ruleInWords),
        hash,
        files: loaded.files && [...loaded.files],
        body,
      };
    },
    approved: () => library.approved(),
    revoke: (name) => library.revoke(name),
    async why(input) {
      await library.ready();
      const invoked = await library.invoke(input, null);
      const { of, mode, scores } = choose(library, library.cards(null), input);
      return { input, named: invoked?.skill.name ?? null, offered: of, mode, scores };
    },
  };
}

function skillView(
  library: Pick<SkillLibrary, 'whyDisabled'>,
  skill: FoundSkill,
  shadowed: readonly { skill: FoundSkill; by: FoundSkill }[],
  isTrusted: boolean,
): SkillView {
  const { name, description, path, root, isForModels, isForPeople, warnings } = skill;
  const off = library.whyDisabled(name);
  const offReason = off === null ? null : reasonOf(off);
  return {
    name,
    description,
    from: root.from,
    path,
    forModels: isForModels,
    forPeople: isForPeople,
    off,
    ...(offReason && { offReason }),
    isTrusted,
    warnings: [...warnings],
    warningSentences: warnings.map(saidReason),
    shadows: shadowed.filter(({ by }) => by.name === name).map((other) => other.skill.path),
  };
}
