import { stat } from 'node:fs/promises';
import { basename, resolve } from 'node:path';
import { isBase64, maxPartBytes, partName, sizeText } from '../../protocol/content.ts';
import { DetentError, messageOf } from '../../protocol/error.ts';
import { isObject } from '../../protocol/json.ts';
import { ToolFailure } from '../../protocol/tool.ts';
import { readWhole } from '../../text/files.ts';
import { openFile, resolveInWorkspace } from '../../tools/files.ts';
import type { Attachment } from '../config/request.ts';

/** Finds attachments that a message only names. */
export interface AttachmentSources {
  /** The tenant's workspace, absolute. Null when it has none; then no file is found by its path. */
  workspace: string | null;
  /** The upload with an id that the message's user may use; null when there is none. Left out: there are none. */
  upload?(id: string): Promise<{ bytes: Uint8Array; name: string | null } | null>;
  /** Whether bytes are those of a file with untrusted text, or are from one. Left out: none are. */
  isTainted?(bytes: Uint8Array, path: string | null): Promise<boolean>;
}

interface Bytes {
  bytes: Uint8Array;
  name: string | undefined;
  /** Its name in error messages. */
  label: string;
  /** Of a file of the workspace: its real path. */
  path?: string;
}

/**
 * The bytes of an attachment.
 *
 * @param i its index among those of the message
 * @param room bytes left in the message
 * @throws DetentError `ATTACHMENT_NOT_FOUND`, `ATTACHMENT_TOO_LARGE`, `ATTACHMENT_UNSUPPORTED`
 */
export async function bytesOf(
  attachment: Attachment,
  i: number,
  { workspace, upload }: AttachmentSources,
  room: number,
): Promise<Bytes> {
  if (!isObject(attachment)) throw unsupported(`attachment ${i + 1}`, 'it is not an object');
  if (['path', 'data', 'id'].filter((place) => place in attachment).length > 1)
    throw unsupported(`attachment ${i + 1}`, 'it has two of path, data and id; leave one');
  if ('path' in attachment) {
    const { path } = attachment;
    const name = partName(attachment.name ?? basename(path));
    return { ...(await fileBytes(workspace, path, room)), name, label: path };
  }
  if ('id' in attachment) {
    const found = typeof attachment.id === 'string' ? await upload?.(attachment.id) : null;
    if (!found) throw noUpload(String(attachment.id));
    const name = partName(attachment.name ?? found.name ?? undefined);
    const label = name ?? `attachment ${i + 1}`;
    if (found.bytes.length > room) throw tooLarge(label, found.bytes.length);
    return { bytes: found.bytes, name, label };
  }
  const name = partName(attachment.name);
  const label = name ?? `attachment ${i + 1}`;
  const { data } = attachment;
  if (typeof data !== 'string') {
    if (!(data instanceof Uint8Array)) throw unsupported(label, 'its data is neither bytes nor base64');
    if (data.length > room) throw tooLarge(label, data.length);
    return { bytes: data, name, label };
  }
  // Check the size before decoding, to not allocate memory for data that is far too long.
  if (data.length > (room / 3) * 4 + 4) throw tooLarge(label, Math.floor((data.length / 4) * 3));
  if (!isBase64(data)) throw unsupported(label, 'its data is not base64 (with padding, without "data:")');
  const bytes = Buffer.from(data, 'base64');
  if (bytes.length > room) throw tooLarge(label, bytes.length);
  return { bytes, name, label };
}

/**
 * Reads files that a person names, also outside the workspace.
 *
 * @param paths relative to `cwd`
 * @param cwd default: the current folder of the process
 * @throws DetentError `ATTACHMENT_NOT_FOUND`, `ATTACHMENT_TOO_LARGE`, `ATTACHMENT_UNSUPPORTED`
 */
export async function readFiles(paths: readonly string[], cwd = ''): Promise<NamedBytes[]> {
  const read: NamedBytes[] = [];
  for (const path of paths) read.push({ name: basename(path), data: await readFileOf(path, cwd) });
  return read;
}

export interface NamedBytes {
  name: string;
  data: Uint8Array;
}

async function readFileOf(path: string, cwd: string): Promise<Uint8Array> {
  const file = resolve(cwd, path);
  try {
    // Check the type before opening: opening a pipe would wait for a writer.
    const { size, isFile } = await stat(file).then((found) => ({ size: found.size, isFile: found.isFile() }));
    if (!isFile) throw unsupported(path, 'it is not a regular file');
    if (size > maxPartBytes) throw tooLarge(path, size);
    return await readWhole(file);
  } catch (error) {
    if (DetentError.is(error)) throw error;
    const isMissing = (error as NodeJS.ErrnoException).code === 'ENOENT';
    const why = isMissing ? 'there is no such file' : messageOf(error);
    throw new DetentError('ATTACHMENT_NOT_FOUND', `${path} cannot be attached: ${why}`, {
      details: { path },
      cause: error,
    });
  }
}

async function fileBytes(
  workspace: string | null,
  path: string,
  room: number,
): Promise<Pick<Bytes, 'bytes'> & { path: string }> {
  try {
    const file = await resolveInWorkspace(workspace, path, null);
    await using handle = await openFile(file);
    const { size } = await handle.stat();
    if (size > room) throw tooLarge(path, size);
    const bytes = await handle.readFile();
    // The file may have grown since the check.
    if (bytes.length > room) throw tooLarge(path, bytes.length);
    return { bytes, path: file.real };
  } catch (error) {
    if (!(error instanceof ToolFailure)) throw error;
    const isOther = error.code === 'IS_A_FOLDER' || error.code === 'NOT_A_FILE';
    throw new DetentError(
      isOther ? 'ATTACHMENT_UNSUPPORTED' : 'ATTACHMENT_NOT_FOUND',
      `${path} cannot be attached: ${messageOf(error)}`,
      { details: { path, why: error.code }, cause: error },
    );
  }
}

function noUpload(id: string): DetentError {
  return new DetentError(
    'ATTACHMENT_NOT_FOUND',
    `${id} cannot be attached: there is no such upload for this user, or it is older than a day; upload the file again`,
    { details: { id } },
  );
}

export function unsupported(label: string, why: string): DetentError {
  return new DetentError('ATTACHMENT_UNSUPPORTED', `${label} cannot be attached: ${why}`, {
    details: { name: label },
  });
}

function tooLarge(label: string, bytes: number): DetentError {
  return new DetentError(
    'ATTACHMENT_TOO_LARGE',
    `${label} is too large: ${sizeText(bytes)}; the attachments of a message may have ${sizeText(maxPartBytes)} together`,
    { details: { name: label, bytes, maxBytes: maxPartBytes } },
  );
}
