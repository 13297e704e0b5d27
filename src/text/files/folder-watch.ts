import { type FSWatcher, watch } from 'node:fs';
import { basename, sep } from 'node:path';
import { breath } from '../limiter.ts';

/** Watchers between two turns of the event loop. */
const slice = 64;

interface WatchedFolder {
  path: string;
  /** Which folder it is, of all that ever had this path; left out when any is as good. */
  inode?: number;
}

/**
 * Watches folders for changes, with one watcher for each folder and none for its files or subfolders. A recursive watch
 * needs a watcher for each file, and misses appends to a file that was renamed into its place. The watchers do not keep
 * the process alive.
 */
export class FolderWatch {
  readonly #changed: () => void;
  readonly #maxWatchers: number;
  readonly #watchers = new Map<string, { inode: number | undefined; watcher: FSWatcher }>();
  #isClosed = false;

  /**
   * @param changed called at once, also for a watcher that has ended
   * @param maxWatchers of all that the system has for a user
   */
  constructor(changed: () => void, maxWatchers = Number.POSITIVE_INFINITY) {
    this.#changed = changed;
    this.#maxWatchers = maxWatchers;
  }

  has(path: string): boolean {
    return this.#watchers.has(path);
  }

  /** Watches exactly these folders, or as many as the system lets it (`EMFILE`, `ENOSPC`): {@link has} tells which. */
  async follow(folders: readonly WatchedFolder[]): Promise<void> {
    const wanted = new Map(folders.map(({ path, inode }) => [path, inode]));
    // Another folder may have been moved to where one was that is still watched.
    for (const [path, { inode }] of this.#watchers) if (wanted.get(path) !== inode) this.#end(path);
    let count = 0;
    for (const [path, inode] of wanted) {
      if (this.#isClosed || this.#watchers.size >= this.#maxWatchers) return;
      if (this.#watchers.has(path)) continue;
      if (!this.#begin(path, inode)) return;
      if (++count % slice === 0) await breath();
    }
  }

  close(): void {
    this.#isClosed = true;
    for (const path of this.#watchers.keys()) this.#end(path);
  }

  /** False if the system allows no more watchers. */
  #begin(path: string, inode: number | undefined): boolean {
    try {
      const watcher = watch(path, { persistent: false }, (event, name) => {
        // The folder itself was removed or moved away, with those in it: their watchers hear nothing of what comes in
        // their place, which may even have the same inodes.
        if (event === 'rename' && (name === null || name === basename(path))) this.#endAll(path);
        this.#changed();
      });
      watcher.on('error', () => {
        this.#endAll(path);
        this.#changed();
      });
      this.#watchers.set(path, { inode, watcher });
      return true;
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      return code !== 'EMFILE' && code !== 'ENFILE' && code !== 'ENOSPC';
    }
  }

  #endAll(folder: string): void {
    for (const path of this.#watchers.keys())
      if (path === folder || path.startsWith(`${folder}${sep}`)) this.#end(path);
  }

  #end(path: string): void {
    this.#watchers.get(path)?.watcher.close();
    this.#watchers.delete(path);
  }
}
