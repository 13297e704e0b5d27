import { mkdir, readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { replaceFile } from '../files/replace-file.ts';
import { DetentError, messageOf } from '../protocol/error.ts';
import { isObject } from '../protocol/json.ts';

/** By hash: the skill that had it, and when somebody approved it. */
type Approved = Record<string, { name: string; at: string }>;

/**
 * The skills that the user trusts, by the hash of all their files. They are kept outside of every workspace, where no tool
 * can write.
 */
export class Approvals {
  readonly #file: string;
  readonly #given: ReadonlySet<string>;

  /**
   * @param home the folder of the user's own settings
   * @param given hashes that the configuration names
   */
  constructor(home: string, given: readonly string[] = []) {
    this.#file = join(home, 'skills-approved.json');
    this.#given = new Set(given);
  }

  /** False also when the file cannot be read: nothing is trusted then. */
  async has(hash: string): Promise<boolean> {
    if (this.#given.has(hash)) return true;
    return Object.hasOwn(await this.#read().catch(() => ({})), hash);
  }

  /** @throws DetentError `SKILL_APPROVALS_UNREADABLE`. */
  async add(name: string, hash: string): Promise<void> {
    await this.#write({ ...(await this.#read()), [hash]: { name, at: new Date().toISOString() } });
  }

  /** Forgets every hash of a skill of this name; answers how many. @throws DetentError `SKILL_APPROVALS_UNREADABLE`. */
  async remove(name: string): Promise<number> {
    const all = Object.entries(await this.#read());
    const kept = all.filter(([, approved]) => approved.name !== name);
    if (kept.length < all.length) await this.#write(Object.fromEntries(kept));
    return all.length - kept.length;
  }

  async #read(): Promise<Approved> {
    try {
      const approved: unknown = JSON.parse(await readFile(this.#file, 'utf8'));
      if (isObject(approved) && Object.values(approved).every(isObject)) return approved as Approved;
      throw new Error('it does not hold what it should');
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return {};
      throw new DetentError(
        'SKILL_APPROVALS_UNREADABLE',
        `${this.#file} cannot be read (${messageOf(error)}); look at it, or remove it to trust no skill but those of Detent`,
        { cause: error },
      );
    }
  }

  async #write(approved: Approved): Promise<void> {
    await mkdir(dirname(this.#file), { recursive: true });
    await replaceFile(this.#file, `${JSON.stringify(approved, null, 2)}\n`, { mode: 0o600 });
  }
}
