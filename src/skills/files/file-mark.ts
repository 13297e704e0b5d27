import { statSync } from 'node:fs';

/** The facts that make up a mark. */
interface FileTimes {
  ino: number;
  size: number;
  mtimeMs: number;
  ctimeMs: number;
}

/** The state of a file or folder at a check; any replacement or change gives another mark. */
export interface FileMark {
  path: string;
  /** Empty if it did not exist. */
  mark: string;
  /** The inode of a folder; null for a file or a missing entry. */
  inode: number | null;
  /** Whether a watcher of its parent folder would miss changes: true for links and for roots. */
  isAlone: boolean;
}

/** The current mark of a path; an error of `stat` gives a mark, too. */
export function markOf(path: string): string {
  try {
    const stats = statSync(path, { throwIfNoEntry: false });
    if (!stats) return '';
    return stats.isDirectory() ? folderMark(stats) : fileMark(stats);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code ?? 'unknown';
  }
}

/** Includes `ctime`, which programs cannot set back. */
export function fileMark({ ino, size, mtimeMs, ctimeMs }: FileTimes): string {
  return `${ino} ${size} ${mtimeMs} ${ctimeMs}`;
}

/** Changes when an entry comes or goes, and with the right to list them. */
export function folderMark({ ino, mtimeMs, ctimeMs }: FileTimes): string {
  return `${ino} ${mtimeMs} ${ctimeMs}`;
}
