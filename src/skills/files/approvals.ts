import { join } from 'node:path';
import { DetentError, fileBusy, messageOf } from '../../protocol/error.ts';
import { isObject } from '../../protocol/json.ts';
import { makeFolderInHome, readWhole, rewriteJson } from '../../text/files.ts';

/** By hash: the name of the skill, and when a person approved it. */
type Approved = Record<string, { name: string; at: string }>;

/**
 * The skills that the user trusts, by the hash of all their files. The file is outside of every workspace, so that no
 * tool can write it.
 */
export class Approvals {
  readonly #home: string;
  readonly #file: string;
  readonly #given: ReadonlySet<string>;

  /**
   * @param home the folder of the user's own settings
   * @param given hashes that the configuration names
   */
  constructor(home: string, given: readonly string[] = []) {
    this.#home = home;
    this.#file = join(home, 'skills-approved.json');
    this.#given = new Set(given);
  }

  /** Also false when the file cannot be read: then no skill is trusted. */
  async has(hash: string): Promise<boolean> {
    if (this.#given.has(hash)) return true;
    return Object.hasOwn(await this.#read().catch(() => ({})), hash);
  }

  /** The skills that a person approved, without those that the configuration names. @throws DetentError `SKILL_APPROVALS_UNREADABLE`. */
  async list(): Promise<{ name: string; hash: string; at: string }[]> {
    return Object.entries(await this.#read()).map(([hash, { name, at }]) => ({ name, hash, at }));
  }

  /** @throws DetentError `SKILL_APPROVALS_UNREADABLE`, `FILE_BUSY`. */
  async add(name: string, hash: string): Promise<void> {
    await this.#change((approved) => ({ ...approved, [hash]: { name, at: new Date().toISOString() } }));
  }

  /** Removes every hash of a skill of this name; returns how many. @throws DetentError as `add` does. */
  async remove(name: string): Promise<number> {
    const without = (all: Approved) => Object.entries(all).filter(([, approved]) => approved.name !== name);
    const before = await this.#read();
    if (without(before).length === Object.keys(before).length) return 0;
    let removed = 0;
    await this.#change((approved) => {
      const kept = without(approved);
      removed = Object.keys(approved).length - kept.length;
      return Object.fromEntries(kept);
    });
    return removed;
  }

  /** Processes share the file, and each writes it whole. */
  async #change(change: (before: Approved) => Approved): Promise<void> {
    makeFolderInHome(this.#home, this.#home);
    await rewriteJson(
      this.#file,
      async () => change(await this.#read()),
      () => fileBusy(this.#file),
    );
  }

  async #read(): Promise<Approved> {
    try {
      const approved: unknown = JSON.parse((await readWhole(this.#file)).toString());
      if (isObject(approved) && Object.values(approved).every(isObject)) return approved as Approved;
      throw new Error('it is not a map of approvals');
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return {};
      throw new DetentError(
        'SKILL_APPROVALS_UNREADABLE',
        `${this.#file} cannot be read (${messageOf(error)}); repair it, or delete it to trust only the skills of Detent`,
        { cause: error },
      );
    }
  }
}
