/** Files: private, replaced as a whole, locked, watched. */

export { FolderWatch } from './files/folder-watch.ts';
export {
  driversFolderName,
  holdDatabase,
  isDriverFile,
  isOfOpenDatabaseAt,
  type OpenDatabase,
  openAs,
  openDatabases,
} from './files/open-databases.ts';
export { openToRead, openToReadSync, readWhole, readWholeSync } from './files/open-to-read.ts';
export {
  detentHome,
  isSource,
  ownEntries,
  ownFile,
  ownManifest,
  ownModule,
  startOwnThread,
} from './files/own-files.ts';
export {
  isInOwnFolder,
  makeFolderInHome,
  makePrivateFile,
  makePrivateFolder,
  ownFolderName,
  privateFileMode,
} from './files/private-files.ts';
export { replaceFile, replaceFileSync, rewriteJson } from './files/replace-file.ts';
export { hasBegun, whileLocked, whileLockedSync } from './files/while-locked.ts';
