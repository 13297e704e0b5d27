import { readFile, stat } from 'node:fs/promises';
import { basename } from 'node:path';
import { whyNot } from '../../agent/prompt/parts-to-send.ts';
import type { ModelDirectory, ResolvedModel } from '../../ports/chat-model.ts';
import { ToolFailure } from '../../ports/tool.ts';
import { DetentError, messageOf } from '../../protocol/error.ts';
import { mediaTypeOf, textOfBytes } from '../../protocol/media-type.ts';
import {
  type ContentPart,
  describePart,
  isBase64,
  mostPartBytes,
  mostParts,
  partName,
  sizeText,
  textFile,
} from '../../protocol/parts.ts';
import type { RunOptions } from '../../records/run-options.ts';
import { openFile } from '../../tools/files/open-file.ts';
import { resolveInWorkspace } from '../../tools/files/workspace-path.ts';
import type { Attachment } from '../config/options.ts';

/** Attachments as a message holds them. */
export interface Attached {
  /** The prompt, with the text of text files behind it. */
  text: string;
  parts: ContentPart[];
}

/**
 * Reads what goes with a message.
 *
 * @param workspace absolute
 * @param maxPromptBytes of prompt and text files together
 * @throws DetentError `ATTACHMENT_NOT_FOUND` (also for a path out of the workspace), `ATTACHMENT_TOO_LARGE`,
 * `ATTACHMENT_UNSUPPORTED`
 */
export async function attach(
  prompt: string,
  attachments: readonly Attachment[],
  { workspace, maxPromptBytes }: { workspace: string; maxPromptBytes: number },
): Promise<Attached> {
  if (attachments.length > mostParts)
    throw new DetentError(
      'ATTACHMENT_TOO_LARGE',
      `${attachments.length} attachments are too many: a message takes ${mostParts}; send the others with another message`,
      { details: { count: attachments.length, max: mostParts } },
    );
  const parts: ContentPart[] = [];
  const texts = [prompt];
  let room = mostPartBytes;
  for (const [i, attachment] of attachments.entries()) {
    const { bytes, name, label } = await bytesOf(attachment, i, workspace, room);
    const mimeType = 'data' in attachment ? attachment.mimeType : undefined;
    if (bytes.length === 0) throw unsupported(label, 'it is empty');
    const type = mediaTypeOf(bytes);
    const text = type ? null : textOfBytes(bytes);
    if (mimeType !== undefined && !fits(mimeType, type?.mimeType))
      throw unsupported(label, `it was given as ${mimeType}, and is ${type?.mimeType ?? 'something else'}`);
    if (type) {
      room -= bytes.length;
      parts.push({ ...type, ...(name !== undefined && { name }), data: base64Of(bytes) });
    } else if (text !== null) texts.push(textFile(name ?? label, text, bytes.length));
    else throw unsupported(label, 'it is no PNG, JPEG, GIF, WebP or PDF, and no UTF-8 text');
  }
  const whole = texts.join('\n\n');
  const size = Buffer.byteLength(whole);
  if (texts.length > 1 && size > maxPromptBytes)
    throw new DetentError(
      'ATTACHMENT_TOO_LARGE',
      `prompt and text files have ${size} bytes, more than ${maxPromptBytes}; leave them in the workspace and ask to read them, or raise limits.maxPromptBytes`,
      { details: { bytes: size, maxBytes: maxPromptBytes } },
    );
  return { text: whole, parts };
}

/**
 * What none of a run's models can be shown is refused before anything is stored or asked.
 *
 * @throws DetentError `ATTACHMENT_UNSUPPORTED` that says what the model takes; `MISSING_KEY` when no model has its key
 */
export async function checkAccepted(
  parts: readonly ContentPart[],
  directory: ModelDirectory,
  { model, fallbacks = [], endpoint }: Pick<RunOptions, 'model' | 'fallbacks' | 'endpoint'>,
): Promise<void> {
  const refusals: unknown[] = [];
  for (const name of [model, ...fallbacks]) {
    try {
      const taker = await directory.resolve(name, endpoint);
      const refused = parts.find((part) => whyNot(part, taker) !== null);
      if (!refused) return;
      refusals.push(notTaken(refused, name, taker));
    } catch (error) {
      // The run goes on with its next model then.
      if (!DetentError.is(error) || error.code !== 'MISSING_KEY') throw error;
      refusals.push(error);
    }
  }
  throw refusals[0];
}

function notTaken(part: ContentPart, name: string, { accepts }: ResolvedModel): DetentError {
  const takes = accepts.length === 0 ? 'text alone' : ['text', ...accepts].join(', ');
  return new DetentError(
    'ATTACHMENT_UNSUPPORTED',
    `${describePart(part)}: ${name} cannot be shown it, as it takes ${takes}; use another model, or say what this one takes (models.PROVIDER.models.ID.accepts)`,
    { details: { name: part.name ?? null, mimeType: part.mimeType, model: name, accepts: [...accepts] } },
  );
}

interface Bytes {
  bytes: Uint8Array;
  name: string | undefined;
  /** For messages to people. */
  label: string;
}

async function bytesOf(attachment: Attachment, i: number, workspace: string, room: number): Promise<Bytes> {
  if ('path' in attachment) {
    const { path } = attachment;
    const name = partName(attachment.name ?? basename(path));
    return { bytes: await fileBytes(workspace, path, room), name, label: path };
  }
  const name = partName(attachment.name);
  const label = name ?? `attachment ${i + 1}`;
  const { data } = attachment;
  if (typeof data !== 'string') {
    if (!(data instanceof Uint8Array)) throw unsupported(label, 'its data is neither bytes nor base64');
    if (data.length > room) throw tooLarge(label, data.length);
    return { bytes: data, name, label };
  }
  // Before it is decoded: what is far too long is not worth the memory.
  if (data.length > (room / 3) * 4 + 4) throw tooLarge(label, Math.floor((data.length / 4) * 3));
  if (!isBase64(data)) throw unsupported(label, 'its data is no base64 (padded, and without "data:")');
  const bytes = Buffer.from(data, 'base64');
  if (bytes.length > room) throw tooLarge(label, bytes.length);
  return { bytes, name, label };
}

/**
 * Reads files that a person names, wherever they are.
 *
 * @param paths relative to the current folder
 * @throws DetentError `ATTACHMENT_NOT_FOUND`, `ATTACHMENT_TOO_LARGE`, `ATTACHMENT_UNSUPPORTED`
 */
export async function readFiles(paths: readonly string[]): Promise<NamedBytes[]> {
  const read: NamedBytes[] = [];
  for (const path of paths) read.push({ name: basename(path), data: await readFileOf(path) });
  return read;
}

export interface NamedBytes {
  name: string;
  data: Uint8Array;
}

async function readFileOf(path: string): Promise<Uint8Array> {
  try {
    // Opening a pipe would wait for a writer.
    const { size, isFile } = await stat(path).then((found) => ({ size: found.size, isFile: found.isFile() }));
    if (!isFile) throw unsupported(path, 'it is no regular file');
    if (size > mostPartBytes) throw tooLarge(path, size);
    return await readFile(path);
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

async function fileBytes(workspace: string, path: string, room: number): Promise<Uint8Array> {
  try {
    const file = await resolveInWorkspace(workspace, path);
    await using handle = await openFile(file);
    const { size } = await handle.stat();
    if (size > room) throw tooLarge(path, size);
    const bytes = await handle.readFile();
    // It may have grown.
    if (bytes.length > room) throw tooLarge(path, bytes.length);
    return bytes;
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

/** All kinds of text are the same to us. */
function fits(declared: string, found: string | undefined): boolean {
  const [type = ''] = declared.toLowerCase().split(';', 1);
  const said = type.trim() === 'image/jpg' ? 'image/jpeg' : type.trim();
  if (found !== undefined) return said === found;
  return !/^(image\/(?!svg)|audio\/|video\/|application\/pdf$)/.test(said);
}

function base64Of(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('base64');
}

function unsupported(label: string, why: string): DetentError {
  return new DetentError('ATTACHMENT_UNSUPPORTED', `${label} cannot be attached: ${why}`, {
    details: { name: label },
  });
}

function tooLarge(label: string, bytes: number): DetentError {
  return new DetentError(
    'ATTACHMENT_TOO_LARGE',
    `${label} is too large: ${sizeText(bytes)}; the attachments of a message may have ${sizeText(mostPartBytes)} together`,
    { details: { name: label, bytes, maxBytes: mostPartBytes } },
  );
}
