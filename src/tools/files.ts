/** The files that tools may touch. */
export { unifiedDiff } from './files/diff-text.ts';
export { noFiles } from './files/file-guard.ts';
export { type FileRules, performWriting, resolveForWriting } from './files/file-rules.ts';
export { globMatcher } from './files/glob.ts';
export { openFile } from './files/open-file.ts';
export { makeFolder } from './files/pinned-folder.ts';
export { replaceWorkspaceFile, withFileLock } from './files/replace-file.ts';
export { resolveInWorkspace } from './files/workspace-path.ts';
