import { DetentError } from '../../protocol/error.ts';
import { ToolFailure } from '../../protocol/tool.ts';
import { quoted } from '../../text/wording.ts';

/** System error codes as messages that a model can act on: [code, what is wrong]. */
const meanings: Readonly<Record<string, readonly [code: string, meaning: string]>> = {
  ENOENT: ['FILE_NOT_FOUND', 'does not exist; list_files shows what there is'],
  ENOTDIR: ['NOT_A_FOLDER', 'is not a folder, or has a file among its parents'],
  EEXIST: ['NOT_A_FOLDER', 'has a file among its parents'],
  EISDIR: ['IS_A_FOLDER', 'is a folder, not a file; use list_files'],
  EACCES: ['PERMISSION_DENIED', 'may not be accessed'],
  EPERM: ['PERMISSION_DENIED', 'may not be accessed'],
  EROFS: ['PERMISSION_DENIED', 'is on a read-only file system'],
  ENAMETOOLONG: ['PATH_INVALID', 'has a name that is too long'],
  ENOSPC: ['NO_SPACE', 'cannot be written: the disk is full'],
  // The result of opening a socket.
  ENXIO: ['NOT_A_FILE', 'is not a regular file (a pipe, socket or device)'],
  EDATABASE: ['PATH_RESERVED', "belongs to the runtime's own database; no tool may use it"],
  // The result of O_NOFOLLOW: between the check and the open, the file became a link.
  ELOOP: ['PATH_OUTSIDE_WORKSPACE', 'changed into a symbolic link while it was opened'],
};

/** Turns a system error about a file into a failure that names it as the model knows it, without the host's paths. */
export function fileFailure(error: unknown, shown: string): unknown {
  const system = error instanceof Error && 'code' in error ? error.code : undefined;
  return DetentError.is(error) || typeof system !== 'string' ? error : systemFailure(system, shown);
}

/** Throws for anything but a regular file: reading a folder fails, and reading a pipe may never end. */
export function refuseSpecial(stat: { isFile(): boolean; isDirectory(): boolean }, shown: string): void {
  if (!stat.isFile()) throw systemFailure(stat.isDirectory() ? 'EISDIR' : 'ENXIO', shown);
}

function systemFailure(system: string, shown: string): ToolFailure {
  const known = Object.hasOwn(meanings, system) ? meanings[system] : undefined;
  const [code, meaning] = known ?? ['FILE_ERROR', `could not be used (${system})`];
  return new ToolFailure(code, `${quoted(shown)} ${meaning}`);
}
