import { type Stats, statSync } from 'node:fs';

/** A file or folder that was looked at: another one, or a changed one, has another mark. */
export interface FileMark {
  path: string;
  /** Empty when there was nothing. */
  mark: string;
  /** Of a folder; null for a file, and for nothing. */
  inode: number | null;
  /** A watcher of the folder that it is in would not tell of all of its changes: a link, or a folder to begin with. */
  isAlone: boolean;
}

/** The mark of what is there now; that it cannot be looked at is one, too. */
export function markOf(path: string): string {
  try {
    const stats = statSync(path, { throwIfNoEntry: false });
    if (!stats) return '';
    return stats.isDirectory() ? folderMark(stats) : fileMark(stats);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code ?? 'unknown';
  }
}

/** With the time of the last change of any kind, which no program sets back. */
export function fileMark({ ino, size, mtimeMs, ctimeMs }: Stats): string {
  return `${ino} ${size} ${mtimeMs} ${ctimeMs}`;
}

/** Changes when an entry comes or goes, and with the right to list them. */
export function folderMark({ ino, mtimeMs, ctimeMs }: Stats): string {
  return `${ino} ${mtimeMs} ${ctimeMs}`;
}
