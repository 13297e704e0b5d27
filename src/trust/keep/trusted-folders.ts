import { relative } from 'node:path';
import { ownFolderName } from '../../text/files.ts';
import { isOwned, type TrustRecords } from '../records.ts';

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
