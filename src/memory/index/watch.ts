import { type FSWatcher, watch } from 'node:fs';
import { join } from 'node:path';

const quietMs = 300;

/**
 * Tells when something in a set of folders may have changed. One watcher for each folder and none for its files: a
 * recursive watch costs one for each file and misses what is appended to a file that was renamed into its place.
 */
export class FolderWatch {
  readonly #root: string;
  readonly #changed: () => void;
  readonly #watchers = new Map<string, FSWatcher>();
  #timer: NodeJS.Timeout | null = null;
  #isClosed = false;

  /** @param changed called a while after the last of several changes. */
  constructor(root: string, changed: () => void) {
    this.#root = root;
    this.#changed = changed;
  }

  /** Watches exactly these folders, from the root. Where the system has no watcher left, it watches as many as it can. */
  follow(folders: readonly string[]): void {
    if (this.#isClosed) return;
    const wanted = new Set(folders);
    for (const [folder, watcher] of this.#watchers) {
      if (wanted.has(folder)) continue;
      watcher.close();
      this.#watchers.delete(folder);
    }
    for (const folder of wanted) if (!this.#watchers.has(folder)) this.#add(folder);
  }

  close(): void {
    this.#isClosed = true;
    if (this.#timer) clearTimeout(this.#timer);
    for (const watcher of this.#watchers.values()) watcher.close();
    this.#watchers.clear();
  }

  #add(folder: string): void {
    try {
      const watcher = watch(join(this.#root, folder), () => this.#later());
      const drop = () => {
        watcher.close();
        this.#watchers.delete(folder);
        this.#later();
      };
      watcher.on('error', drop);
      this.#watchers.set(folder, watcher);
    } catch {
      // It is gone, or there are no watchers left: what changes there is found by the next search, and once a minute.
    }
  }

  #later(): void {
    if (this.#isClosed) return;
    if (this.#timer) clearTimeout(this.#timer);
    this.#timer = setTimeout(this.#changed, quietMs);
  }
}
