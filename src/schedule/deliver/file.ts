import { dirname } from 'node:path';
import { DetentError } from '../../protocol/error.ts';
import {
  makeFolder,
  performWriting,
  replaceWorkspaceFile,
  resolveForWriting,
  withFileLock,
} from '../../tools/files.ts';
import type { ScheduleParts } from '../door.ts';
import { fileOfSlot } from '../times/slot-text.ts';
import type { Delivery } from './delivery.ts';

/** The error codes that a retry may mend: a full disk, a folder that is not mounted, permissions. */
const passing: ReadonlySet<string> = new Set([
  'NO_SPACE',
  'PERMISSION_DENIED',
  'WORKSPACE_MISSING',
  'INVALID_WORKSPACE',
]);

/**
 * Writes a result to a file of the workspace, whole or not at all, with the folders on its way. File tools' rules hold; files
 * that they write only when a person agreed are refused, since no person is asked.
 *
 * @param path relative to the workspace; it may name `{{slot}}`
 * @throws DetentError `PATH_OUTSIDE_WORKSPACE`, `PATH_RESERVED`, `PATH_GUARDED`, `NO_WORKSPACE`, …
 */
export async function writeResult(
  { tenants, files: rules }: Pick<ScheduleParts, 'tenants' | 'files'>,
  path: string,
  { tenant, slot, text, tainted, attempt, isOvertaken, signal }: Delivery,
): Promise<void> {
  const named = fileOfSlot(path, slot);
  try {
    const file = await resolveResult({ tenants, files: rules }, path, { tenant, slot });
    const write = async () => {
      // A delayed result must not replace a newer one.
      if (named === path && attempt > 1 && (await isOvertaken())) return;
      const content = Buffer.from(contentOf(text));
      const isTainted = tainted.length > 0;
      const now = { bytes: content.length, read: async () => content };
      if (isTainted || (await rules.tainted.has(tenant, file.real, now)))
        await rules.tainted.add(tenant, file.real, isTainted ? content : null);
      await replaceWorkspaceFile(file, content, signal);
      if (!isTainted) await rules.tainted.remove(tenant, file.real);
    };
    await performWriting(rules, async () => {
      await makeFolder(dirname(file.real), file.shown);
      await withFileLock(file.real, write);
    });
  } catch (error) {
    throw DetentError.is(error) && !passing.has(error.code) ? error : retryable(error, named);
  }
}

/** The file that a result goes to. @throws DetentError as {@link writeResult}. */
export async function resolveResult(
  { tenants, files: rules }: Pick<ScheduleParts, 'tenants' | 'files'>,
  path: string,
  { tenant, slot }: Pick<Delivery, 'tenant' | 'slot'>,
) {
  const named = fileOfSlot(path, slot);
  try {
    const { workspace } = await tenants(tenant);
    return await resolveForWriting({ workspace }, named, rules);
  } catch (error) {
    if (isGuard(error)) throw guarded(named);
    throw DetentError.is(error) && !passing.has(error.code) ? error : retryable(error, named);
  }
}

function contentOf(text: string): string {
  return text === '' || text.endsWith('\n') ? text : `${text}\n`;
}

function isGuard(error: unknown): boolean {
  return DetentError.is(error) && error.code === 'PATH_GUARDED';
}

function guarded(path: string): DetentError {
  return new DetentError(
    'PATH_GUARDED',
    `"${path}" is a file that can make a program execute something, so no delivery may write it; name another file`,
  );
}

function retryable(error: unknown, path: string): DetentError {
  const [code, message] = DetentError.is(error)
    ? [error.code, error.message]
    : [
        'FILE_FAILED',
        `"${path}" could not be written (${(error as NodeJS.ErrnoException).code ?? 'unknown'})`,
      ];
  return new DetentError(code, message, { retryable: true, cause: error });
}
