import type { SkillRoot } from './roots.ts';
import { type BadSkill, type FoundSkill, markOf, type Scan, scanRoot } from './scan.ts';

/** Every skill by name, and what was found besides. */
export interface Found {
  /** Sorted by name. */
  skills: readonly FoundSkill[];
  bad: readonly BadSkill[];
  /** Skills whose name a later root, or an earlier folder of the same one, has, too. */
  shadowed: readonly { skill: FoundSkill; by: FoundSkill }[];
}

/** Between two looks at the folders, in milliseconds: the calls of one run are made with the same skills. */
const restMs = 1_000;
/** Files between two turns of the event loop. */
const slice = 500;

/**
 * The skills of some folders. They are searched on first use; from then on everything that was come upon is looked at again
 * when skills are asked for, at most once a second, and searched anew where something has changed. That finds what a
 * watcher finds, on every file system, and holds no handle.
 */
export class SkillCatalogue {
  readonly #roots: readonly SkillRoot[];
  readonly #scans = new Map<SkillRoot, Scan>();
  readonly #now: () => number;
  #found: Found = { skills: [], bad: [], shadowed: [] };
  #looking: Promise<void> | null = null;
  #lookedAt = Number.NEGATIVE_INFINITY;

  /** @param now a clock that only goes forward, in milliseconds */
  constructor(roots: readonly SkillRoot[], now: () => number = () => performance.now()) {
    this.#roots = roots;
    this.#now = now;
  }

  get found(): Found {
    return this.#found;
  }

  get roots(): readonly SkillRoot[] {
    return this.#roots;
  }

  /** Never rejects. */
  refresh({ force = false } = {}): Promise<void> {
    if (this.#looking) return this.#looking;
    if (!force && this.#now() - this.#lookedAt < restMs) return Promise.resolve();
    this.#looking = this.#look().finally(() => {
      this.#looking = null;
      this.#lookedAt = this.#now();
    });
    return this.#looking;
  }

  async #look(): Promise<void> {
    let isSame = true;
    for (const root of this.#roots) {
      const known = this.#scans.get(root);
      if (known && (await isAsItWas(known))) continue;
      this.#scans.set(root, await scanRoot(root));
      isSame = false;
    }
    if (!isSame) this.#found = merged(this.#roots.flatMap((root) => this.#scans.get(root) ?? []));
  }
}

async function isAsItWas({ marks }: Scan): Promise<boolean> {
  for (const [i, { path, mark }] of marks.entries()) {
    if (i % slice === slice - 1) await new Promise((resolve) => setImmediate(resolve));
    try {
      if ((markOf(path) ?? '') !== mark) return false;
    } catch {
      return false;
    }
  }
  return true;
}

/** @param scans in the order of precedence, the last first in line. */
function merged(scans: readonly Scan[]): Found {
  const byName = new Map<string, FoundSkill>();
  const shadowed: { skill: FoundSkill; by: FoundSkill }[] = [];
  for (const { skills } of scans)
    for (const skill of skills) {
      const before = byName.get(skill.name);
      if (before?.root === skill.root) shadowed.push({ skill, by: before });
      else {
        if (before) shadowed.push({ skill: before, by: skill });
        byName.set(skill.name, skill);
      }
    }
  return {
    skills: [...byName.values()].sort((a, b) => (a.name < b.name ? -1 : 1)),
    bad: scans.flatMap(({ bad }) => bad),
    shadowed,
  };
}
