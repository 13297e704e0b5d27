/** What people agreed to. */
export { keepingTrust, keepTrust, revokeTrust, trustedFolders } from './keep/keep-trust.ts';
export { watchingTools } from './keep/watching-tools.ts';
export { changesOf } from './own/changes.ts';
export { newOwnFolder } from './own/own-folder.ts';
export { isOwned, type TrustedFolder, TrustRecords } from './records.ts';
