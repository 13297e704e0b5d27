import { dirname } from 'node:path';
import { FolderWatch } from '../files/folder-watch.ts';
import { type FileMark, markOf } from './file-mark.ts';
import type { SkillRoot } from './roots.ts';
import { type BadSkill, type FoundSkill, type Scan, scanRoot } from './scan.ts';

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
/** From then on what watchers say is not believed without a look: networks and links may have kept something from them. */
const trustMs = 60_000;
/** Files between two turns of the event loop. */
const slice = 500;

export interface CatalogueOptions {
  /** Watches folders that are looked at more than once, instead of looking at each of their files again. Default: true. */
  isWatching?: boolean;
  /** For each folder to begin with. A system has thousands for a user, and others want some, too. Default: 4,096. */
  maxWatchers?: number;
  /** A clock that only goes forward, in milliseconds. */
  now?: () => number;
}

/** A folder of skills as it is kept an eye on. */
interface Shelf {
  root: SkillRoot;
  scan: Scan | null;
  watch: FolderWatch | null;
  /** Nothing has been heard of its watchers since this look at all of it; null when something has, or nobody watches. */
  quietSince: number | null;
  /** What no watcher tells of, looked at each time. */
  unwatched: readonly FileMark[];
}

/**
 * The skills of some folders. They are searched on first use, and looked at again when skills are asked for later, at most
 * once a second: a process that asks twice lives on, and has them watched from then on, so that it costs next to nothing to
 * see that nothing has changed. A command that asks once pays for no watcher.
 */
export class SkillCatalogue {
  readonly #shelves: readonly Shelf[];
  readonly #maxWatchers: number;
  readonly #now: () => number;
  #found: Found = { skills: [], bad: [], shadowed: [] };
  #looking: Promise<void> | null = null;
  #lookedAt = Number.NEGATIVE_INFINITY;
  #isClosed = false;

  constructor(roots: readonly SkillRoot[], options: CatalogueOptions = {}) {
    const { isWatching = true, maxWatchers = 4_096, now } = options;
    this.#shelves = roots.map((root) => ({ root, scan: null, watch: null, quietSince: null, unwatched: [] }));
    this.#maxWatchers = isWatching ? maxWatchers : 0;
    this.#now = now ?? (() => performance.now());
  }

  get found(): Found {
    return this.#found;
  }

  get roots(): readonly SkillRoot[] {
    return this.#shelves.map(({ root }) => root);
  }

  /** @param force looks at every file, and watches none. Never rejects. */
  refresh({ force = false } = {}): Promise<void> {
    if (this.#looking) return this.#looking;
    if (!force && this.#now() - this.#lookedAt < restMs) return Promise.resolve();
    this.#looking = this.#look(force).finally(() => {
      this.#looking = null;
      this.#lookedAt = this.#now();
    });
    return this.#looking;
  }

  /** Watches no more. What is known stays. */
  close(): void {
    this.#isClosed = true;
    for (const shelf of this.#shelves) shelf.watch?.close();
  }

  async #look(force: boolean): Promise<void> {
    let isSame = true;
    for (const shelf of this.#shelves) isSame = (await this.#lookAt(shelf, force)) && isSame;
    if (!isSame) this.#found = merged(this.#shelves.flatMap(({ scan }) => scan ?? []));
  }

  /** Whether a folder is as it was. */
  async #lookAt(shelf: Shelf, force: boolean): Promise<boolean> {
    const { root, scan, quietSince, unwatched } = shelf;
    if (!scan) {
      shelf.scan = await scanRoot(root);
      return false;
    }
    const isQuiet = !force && quietSince !== null && this.#now() - quietSince < trustMs;
    if (isQuiet && (await areAsTheyWere(unwatched))) return true;
    // Watchers come first: what changes before the look is seen by it, and what changes later by them.
    if (!force) await this.#watch(shelf, scan);
    if (await areAsTheyWere(scan.marks)) return true;
    shelf.quietSince = null;
    shelf.scan = await scanRoot(root, scan);
    return false;
  }

  async #watch(shelf: Shelf, { marks }: Scan): Promise<void> {
    if (this.#maxWatchers === 0 || this.#isClosed) return;
    shelf.watch ??= new FolderWatch(() => {
      shelf.quietSince = null;
      // What somebody has just written is there for the next run.
      this.#lookedAt = Number.NEGATIVE_INFINITY;
    }, this.#maxWatchers);
    shelf.quietSince = this.#now();
    await shelf.watch.follow(marks.flatMap(({ path, inode }) => (inode === null ? [] : [{ path, inode }])));
    shelf.unwatched = unwatchedOf(marks, shelf.watch);
  }
}

function unwatchedOf(marks: readonly FileMark[], watch: FolderWatch): FileMark[] {
  // A file is watched with its folder.
  return marks.filter(
    ({ path, inode, isAlone }) => isAlone || !watch.has(inode === null ? dirname(path) : path),
  );
}

async function areAsTheyWere(marks: readonly FileMark[]): Promise<boolean> {
  for (const [i, { path, mark }] of marks.entries()) {
    if (i % slice === slice - 1) await new Promise((resolve) => setImmediate(resolve));
    if (markOf(path) !== mark) return false;
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
