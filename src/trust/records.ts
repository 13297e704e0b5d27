import { lstatSync, readdirSync, rmSync } from 'node:fs';
import { dirname, isAbsolute, join } from 'node:path';
import { DetentError, messageOf } from '../protocol/error.ts';
import { isObject, isTextRecord } from '../protocol/json.ts';
import {
  detentHome,
  makeFolderInHome,
  privateFileMode,
  readWholeSync,
  replaceFileSync,
} from '../text/files.ts';
import { hex, sha256 } from '../text/ids.ts';

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
  /** Only where the person said that nobody else writes in it. */
  mine?: OwnFolder;
}

/** What a folder was as its owner called it their own, by which a copy, another one and a checkout are told from it. */
export interface OwnFolder {
  /** Which of all folders that ever had this path. */
  identity: string;
  /** ISO 8601. */
  since: string;
  /** Where git stood as the files were those of the record, by the folder that has the `.git`. */
  repositories: Record<string, string>;
  /** SHA-256 of each package.json beside and above its files: they say where the names in imports lead. */
  packages: Record<string, string>;
}

export type OwnedFolder = TrustedFolder & { mine: OwnFolder };

export function isOwned(record: TrustedFolder | null): record is OwnedFolder {
  return record?.mine !== undefined;
}

/** A call of a tool that may write to a folder of one's own. */
interface ToolCall {
  /** The folder, and what tells calls apart. */
  call: string;
  folder: string;
  /** The process that performs it; null once it has ended, and files had changed meanwhile. */
  pid: number | null;
  /** ISO 8601. */
  at: string;
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

const kinds = { folders: 'folder', places: 'place', calls: 'call' } as const;
type Kind = keyof typeof kinds;

/**
 * What this user trusts, in `$DETENT_HOME/trust`: one file for each folder, place and call, so that two processes never write
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

  callsIn(folder: string): ToolCall[] {
    return (this.#all('calls') as ToolCall[]).filter((call) => call.folder === folder);
  }

  keepFolder(record: TrustedFolder): void {
    this.#write('folders', record.folder, record);
  }

  keepPlace(record: KnownPlace): void {
    this.#write('places', record.place, record);
  }

  keepCall(record: ToolCall): void {
    this.#write('calls', record.call, record);
  }

  forgetFolder(path: string): void {
    rmSync(this.#file('folders', path), { force: true });
  }

  forgetPlace(path: string): void {
    rmSync(this.#file('places', path), { force: true });
  }

  forgetCall(call: string): void {
    rmSync(this.#file('calls', call), { force: true });
  }

  /** A call whose process was killed counts as ended. */
  forgetEndedCalls(folder: string): void {
    for (const { call, pid } of this.callsIn(folder)) if (!isAlive(pid)) this.forgetCall(call);
  }

  #file(kind: Kind, path: string): string {
    return join(this.#home, kind, `${hex(sha256(path))}.json`);
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
    for (const path of [this.#home, dirname(file), file]) {
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

function isAlive(pid: number | null): boolean {
  if (pid === null) return false;
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
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
  if (typeof record.folder !== 'string') return false;
  if (kind === 'calls')
    return typeof record.call === 'string' && (record.pid === null || typeof record.pid === 'number');
  const isOwn = record.mine === undefined || isOwnFolder(record.mine);
  return isTextRecord(record.files) && isTextRecord(record.texts) && isOwn;
}

function isOwnFolder(mine: unknown): boolean {
  if (!isObject(mine) || typeof mine.identity !== 'string' || typeof mine.since !== 'string') return false;
  return isTextRecord(mine.repositories) && isTextRecord(mine.packages);
}
