import { dirname } from 'node:path';
import { FolderWatch } from '../../text/files.ts';
import { breath } from '../../text/limiter.ts';
import { type FileMark, markOf } from './file-mark.ts';
import type { SkillRoot } from './roots.ts';
import { type BadSkill, type FoundSkill, type Scan, scanRoot } from './scan.ts';

/** The result of a search: usable, shadowed and bad skills. */
export interface Found {
  /** Sorted by name. */
  skills: readonly FoundSkill[];
  bad: readonly BadSkill[];
  /** Skills that lost to one of the same name in a later root, or in an earlier folder of the same root. */
  shadowed: readonly { skill: FoundSkill; by: FoundSkill }[];
}

/** Minimum time between two checks of the folders, in milliseconds, so that the calls of a run see the same skills. */
const restMs = 1_000;
/** Maximum time without a full check: watchers can miss changes on network file systems and behind links. */
const trustMs = 60_000;
/** Files to check before yielding to the event loop. */
const slice = 500;

export interface CatalogueOptions {
  /** Whether to watch folders from the second check on, instead of checking each of their files again. Default: true. */
  isWatching?: boolean;
  /** Maximum watchers per root. A system has some thousands per user, and other programs need some. Default: 4,096. */
  maxWatchers?: number;
  /** A monotonic clock, in milliseconds. */
  now?: () => number;
}

/** The state of one root: its last scan and its watchers. */
interface Shelf {
  root: SkillRoot;
  scan: Scan | null;
  watch: FolderWatch | null;
  /** Time of the last full check after which no watcher has reported a change; null after a report, or without watchers. */
  quietSince: number | null;
  /** Files and folders that no watcher covers; checked every time. */
  unwatched: readonly FileMark[];
}

/**
 * The skills of some folders. The first use scans them, and later uses check for changes, at most once a second. From the
 * second use on, the catalogue watches the folders, which makes these checks nearly free. A command that uses skills once
 * starts no watcher.
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

  /** @param force checks every file, and starts no watcher. Never rejects. */
  refresh({ force = false } = {}): Promise<void> {
    if (this.#looking) return this.#looking;
    if (!force && this.#now() - this.#lookedAt < restMs) return Promise.resolve();
    this.#looking = this.#look(force).finally(() => {
      this.#looking = null;
      this.#lookedAt = this.#now();
    });
    return this.#looking;
  }

  /** Stops all watchers; the known skills stay. */
  close(): void {
    this.#isClosed = true;
    for (const shelf of this.#shelves) shelf.watch?.close();
  }

  async #look(force: boolean): Promise<void> {
    let isSame = true;
    for (const shelf of this.#shelves) isSame = (await this.#lookAt(shelf, force)) && isSame;
    if (!isSame) this.#found = merged(this.#shelves.flatMap(({ scan }) => scan ?? []));
  }

  /** Whether a root is unchanged. */
  async #lookAt(shelf: Shelf, force: boolean): Promise<boolean> {
    const { root, scan, quietSince, unwatched } = shelf;
    if (!scan) {
      shelf.scan = await scanRoot(root);
      return false;
    }
    const isQuiet = !force && quietSince !== null && this.#now() - quietSince < trustMs;
    if (isQuiet && (await areAsTheyWere(unwatched))) return true;
    // Start watchers before the scan, so that no change falls between them.
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
      // After a report, the next use must check at once.
      this.#lookedAt = Number.NEGATIVE_INFINITY;
    }, this.#maxWatchers);
    shelf.quietSince = this.#now();
    await shelf.watch.follow(marks.flatMap(({ path, inode }) => (inode === null ? [] : [{ path, inode }])));
    shelf.unwatched = unwatchedOf(marks, shelf.watch);
  }
}

function unwatchedOf(marks: readonly FileMark[], watch: FolderWatch): FileMark[] {
  // The watcher of a folder covers its files.
  return marks.filter(
    ({ path, inode, isAlone }) => isAlone || !watch.has(inode === null ? dirname(path) : path),
  );
}

async function areAsTheyWere(marks: readonly FileMark[]): Promise<boolean> {
  for (const [i, { path, mark }] of marks.entries()) {
    if (i % slice === slice - 1) await breath();
    if (markOf(path) !== mark) return false;
  }
  return true;
}

/** @param scans in ascending precedence: the last one wins. */
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
