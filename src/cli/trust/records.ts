import { lstatSync, readdirSync, rmSync } from 'node:fs';
import { dirname, isAbsolute, join } from 'node:path';
import { DetentError, messageOf } from '../../protocol/error.ts';
import { isObject } from '../../protocol/json.ts';
import {
  detentHome,
  makeFolderInHome,
  privateFileMode,
  readWholeSync,
  replaceFileSync,
} from '../../text/files.ts';
import { sha256 } from './regular-file.ts';

/** A folder that a person trusts, and what of it acted then. */
export interface TrustedFolder {
  /** The real path. */
  folder: string;
  /** ISO 8601. */
  at: string;
  /** SHA-256 by the file's name: relative to the folder, or absolute outside of it; `package NAME` for a package. */
  files: Record<string, string>;
  /** The text of small files that are configuration, to show what has changed. */
  texts: Record<string, string>;
}

/** A folder or file that Detent made, or that a person trusted as it was. */
interface KnownPlace {
  /** The real path of the parent folder, and the name in it. */
  place: string;
  /** Which of all that ever had this path; null while Detent makes it. */
  identity: string | null;
  /** ISO 8601. */
  at: string;
}

const kinds = { folders: 'folder', places: 'place' } as const;
type Kind = keyof typeof kinds;

/**
 * What this user trusts, in `$DETENT_HOME/trust`: one file for each folder and place, so that two processes never write
 * the same file for different reasons.
 */
export class TrustRecords {
  readonly #home: string;

  /** @throws DetentError `INVALID_CONFIG` when DETENT_HOME is relative: any folder could then bring its own. */
  constructor(env: Readonly<Record<string, string | undefined>>) {
    if (env.DETENT_HOME && !isAbsolute(env.DETENT_HOME))
      throw new DetentError(
        'INVALID_CONFIG',
        `DETENT_HOME is an absolute path, not "${env.DETENT_HOME}"; set it, or unset it for ~/.detent`,
      );
    this.#home = join(detentHome(env), 'trust');
  }

  folder(path: string): TrustedFolder | null {
    return this.#read('folders', path) as TrustedFolder | null;
  }

  place(path: string): KnownPlace | null {
    return this.#read('places', path) as KnownPlace | null;
  }

  folders(): TrustedFolder[] {
    return this.#all('folders') as TrustedFolder[];
  }

  places(): KnownPlace[] {
    return this.#all('places') as KnownPlace[];
  }

  keepFolder(record: TrustedFolder): void {
    this.#write('folders', record.folder, record);
  }

  keepPlace(record: KnownPlace): void {
    this.#write('places', record.place, record);
  }

  forgetFolder(path: string): void {
    rmSync(this.#file('folders', path), { force: true });
  }

  forgetPlace(path: string): void {
    rmSync(this.#file('places', path), { force: true });
  }

  #file(kind: Kind, path: string): string {
    return join(this.#home, kind, `${sha256(path)}.json`);
  }

  #all(kind: Kind): unknown[] {
    const folder = join(this.#home, kind);
    let names: string[];
    try {
      names = readdirSync(folder);
    } catch {
      return [];
    }
    return names
      .filter((name) => /^[0-9a-f]{64}\.json$/.test(name))
      .flatMap((name) => this.#parsed(kind, join(folder, name)) ?? []);
  }

  #read(kind: Kind, path: string): unknown {
    const record = this.#parsed(kind, this.#file(kind, path));
    return record?.[kinds[kind]] === path ? record : null;
  }

  #parsed(kind: Kind, file: string): Record<string, unknown> | null {
    let text: string;
    try {
      this.#refuseForeign(file);
      text = readWholeSync(file).toString();
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
      throw unreadable(file, error);
    }
    try {
      const record: unknown = JSON.parse(text);
      return isRecord(kind, record) ? record : null;
    } catch {
      // Damaged: the folder counts as not trusted, and the next agreement writes the file anew.
      return null;
    }
  }

  /** Another user must not be able to say what this one trusts. */
  #refuseForeign(file: string): void {
    const uid = process.getuid?.();
    if (uid === undefined) return;
    for (const path of [this.#home, file]) {
      const stat = lstatSync(path);
      if (stat.uid !== uid) throw new Error(`${path} belongs to another user`);
      if ((stat.mode & 0o022) !== 0) throw new Error(`other users can write ${path}`);
      if (stat.isSymbolicLink()) throw new Error(`${path} is a link`);
    }
  }

  #write(kind: Kind, path: string, record: unknown): void {
    const file = this.#file(kind, path);
    try {
      makeFolderInHome(dirname(this.#home), join(this.#home, kind));
      replaceFileSync(file, `${JSON.stringify(record, null, 2)}\n`, privateFileMode);
    } catch (error) {
      throw new DetentError(
        'TRUST_NOT_KEPT',
        `${file} cannot be written: ${messageOf(error)}; make it writable, or set DETENT_HOME to another folder`,
        { cause: error },
      );
    }
  }
}

function unreadable(file: string, error: unknown): DetentError {
  return new DetentError(
    'TRUST_UNREADABLE',
    `${file} cannot be used: ${messageOf(error)}; correct that, or delete the file and agree again`,
    { details: { file }, cause: error },
  );
}

function isRecord(kind: Kind, record: unknown): record is Record<string, unknown> {
  if (!isObject(record) || typeof record.at !== 'string') return false;
  if (kind === 'places')
    return (
      typeof record.place === 'string' && (record.identity === null || typeof record.identity === 'string')
    );
  return typeof record.folder === 'string' && isTexts(record.files) && isTexts(record.texts);
}

function isTexts(value: unknown): boolean {
  return isObject(value) && Object.values(value).every((text) => typeof text === 'string');
}
