import { existsSync, realpathSync } from 'node:fs';
import { isAbsolute, join, relative, resolve } from 'node:path';
import { fileBusy } from '../../protocol/error.ts';
import type { Variables } from '../../protocol/json.ts';
import {
  detentHome,
  makeFolderInHome,
  makePrivateFile,
  ownFolderName,
  whileLocked,
} from '../../text/files.ts';
import { hex, sha256 } from '../../text/ids.ts';
import { judgeFolder } from '../judge-folder.ts';
import { packagesOf } from '../own/own-folder.ts';
import { identityOf, keepPlaces } from '../places.ts';
import { isOwned, type OwnFolder, TrustRecords } from '../records.ts';
import type { Survey, SurveyedFolder } from '../survey/survey.ts';

/**
 * Keeps that a person agreed to the folder as it was surveyed.
 *
 * @param given that it is theirs alone; else it stays so, unless another folder has its path by now
 */
export function keepTrust(
  { folder, files, texts, places }: Survey,
  { env }: { env: Variables },
  given?: OwnFolder,
): void {
  const records = new TrustRecords(env);
  const kept = records.folder(folder)?.mine;
  const mine = given ?? (kept && { ...kept, packages: packagesOf({ folder, files }) });
  const isMine = mine !== undefined && mine.identity === identityOf(folder);
  if (Object.keys(files).length > 0 || isMine)
    records.keepFolder({
      folder,
      at: new Date().toISOString(),
      files: { ...files },
      texts: { ...texts },
      ...(isMine && { mine }),
    });
  keepPlaces(places, { env });
  records.forgetEndedCalls(folder);
}
/**
 * Lets a command of Detent's own change files of a folder. What was trusted before stays trusted: a person gave the
 * command. Other changes in the meantime are not covered. One such command at a time changes a folder.
 *
 * @param open reads the folder as it is
 * @param change reads the files, writes them, and returns their paths
 * @throws DetentError `FILE_BUSY` and what `change` throws.
 */
export async function keepingTrust(
  workspace: string,
  env: Variables,
  open: () => Promise<SurveyedFolder>,
  change: () => Promise<readonly string[]> | readonly string[],
): Promise<void> {
  const work = () => changeTrusted(workspace, open, change);
  const lock = lockOf(workspace, env);
  await (lock === null ? work() : whileLocked(lock, () => fileBusy(workspace), work));
}

/** Not in the folder itself, which may be another person's. Null where this user can keep nothing. */
function lockOf(workspace: string, env: Variables): string | null {
  const locks = join(detentHome(env), 'locks');
  const real = existsSync(workspace) ? realpathSync(workspace) : resolve(workspace);
  const lock = join(locks, `${hex(sha256(real))}.lock`);
  try {
    makeFolderInHome(detentHome(env), locks);
    makePrivateFile(lock);
  } catch {
    return null;
  }
  return lock;
}

async function changeTrusted(
  workspace: string,
  open: () => Promise<SurveyedFolder>,
  change: () => Promise<readonly string[]> | readonly string[],
): Promise<void> {
  const before = existsSync(workspace) ? await judgeFolder(await open()) : null;
  const written = new Set((await change()).map((path) => realpathSync(path)));
  if (before?.isTrusted === false || written.size === 0) return;
  const opened = await open();
  const { survey } = await judgeFolder(opened);
  const isOurs = ([name, hash]: [string, string]) =>
    before?.survey.files[name] === hash || written.has(isAbsolute(name) ? name : join(survey.folder, name));
  const { files, places } = survey;
  if (Object.keys(files).length > 0 && places.length === 0 && Object.entries(files).every(isOurs))
    keepTrust(survey, opened);
}

/** The folders that a person trusts, with the files that act there, by name. */
export function trustedFolders(
  records: TrustRecords,
): { folder: string; at: string; files: string[]; mine: boolean }[] {
  return records
    .folders()
    .map((one) => ({
      folder: one.folder,
      at: one.at,
      files: Object.keys(one.files).sort(),
      mine: isOwned(one),
    }))
    .sort((a, b) => (a.folder < b.folder ? -1 : 1));
}

/**
 * Also forgets what Detent made there: it is asked about again.
 *
 * @param folder its real path; it may be gone
 * @returns false if it was not trusted
 */
export function revokeTrust(records: TrustRecords, folder: string): boolean {
  const places = records.places().filter(({ place }) => isOf(folder, place));
  const isKept = records.folder(folder) !== null;
  records.forgetFolder(folder);
  for (const { place } of places) records.forgetPlace(place);
  return isKept || places.length > 0;
}

/** Whether a place is one of this folder's, and not of a folder below it that has a `.detent` of its own. */
function isOf(folder: string, place: string): boolean {
  const path = relative(folder, place).split(/[\\/]/);
  return path[0] !== '..' && path.lastIndexOf(ownFolderName) <= 0;
}
