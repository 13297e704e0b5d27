import { whyNot } from '../../agent/model-call.ts';
import { type FoundModel, findModel } from '../../models/find-model.ts';
import type { LimitsConfig } from '../../protocol/config.ts';
import {
  type ContentPart,
  describePart,
  type MediaType,
  maxPartBytes,
  maxParts,
  mediaTypeOf,
  textFile,
  textOfBytes,
} from '../../protocol/content.ts';
import { DetentError } from '../../protocol/error.ts';
import type { RunOptions } from '../../store/run-options.ts';
import { type StoredTaint, unknownSource } from '../../store/stored-message.ts';
import type { DetentOptions } from '../config/detent-options.ts';
import type { Attachment } from '../config/request.ts';
import { type AttachmentSources, bytesOf, unsupported } from './attachment-bytes.ts';
import { maxPromptBytesOf } from './check-prompt.ts';

/** Attachments in the form that a message stores. */
interface Attached {
  /** The prompt, followed by the text of text files. */
  text: string;
  parts: ContentPart[];
  /** The attachments that are files with untrusted text. */
  tainted: StoredTaint[];
}

/** The run's surroundings that attachments are found in and checked against. */
interface Target {
  sources: AttachmentSources;
  limits: LimitsConfig | undefined;
  config: DetentOptions;
}

/**
 * Reads the attachments of a message, and checks that the run's models accept them.
 *
 * @throws DetentError as {@link attach} and {@link checkAccepted} do.
 */
export async function attachFor(
  run: Pick<RunOptions, 'model' | 'fallbacks' | 'endpoint'>,
  prompt: string,
  attachments: readonly Attachment[],
  { sources, limits, config }: Target,
): Promise<{ prompt: string; parts?: readonly ContentPart[]; tainted?: StoredTaint[] }> {
  if (attachments.length === 0) return { prompt };
  const maxPromptBytes = maxPromptBytesOf(limits);
  const { text, parts, tainted } = await attach(prompt, attachments, { ...sources, maxPromptBytes });
  checkAccepted(parts, run, config);
  return { prompt: text, parts, tainted };
}

/**
 * Reads the attachments of a message.
 *
 * @param maxPromptBytes maximum of prompt and text files together
 * @throws DetentError `ATTACHMENT_NOT_FOUND` (also for a path out of the workspace), `ATTACHMENT_TOO_LARGE`,
 * `ATTACHMENT_UNSUPPORTED`
 */
export async function attach(
  prompt: string,
  attachments: readonly Attachment[],
  { maxPromptBytes, ...sources }: AttachmentSources & { maxPromptBytes: number },
): Promise<Attached> {
  if (attachments.length > maxParts)
    throw new DetentError(
      'ATTACHMENT_TOO_LARGE',
      `${attachments.length} attachments are too many: a message takes ${maxParts}; send the others with another message`,
      { details: { count: attachments.length, max: maxParts } },
    );
  const parts: ContentPart[] = [];
  const texts = [prompt];
  const tainted: StoredTaint[] = [];
  let room = maxPartBytes;
  for (const [i, attachment] of attachments.entries()) {
    const {
      bytes,
      type,
      text,
      name,
      label,
      path = null,
    } = await readAttachment(attachment, i, sources, room);
    if (await sources.isTainted?.(bytes, path)) tainted.push(unknownSource(`the file ${label}`));
    if (type) {
      room -= bytes.length;
      parts.push({ ...type, ...(name !== undefined && { name }), data: base64Of(bytes) });
    } else texts.push(textFile(name ?? label, text, bytes.length));
  }
  const whole = texts.join('\n\n');
  const size = Buffer.byteLength(whole);
  if (texts.length > 1 && size > maxPromptBytes)
    throw new DetentError(
      'ATTACHMENT_TOO_LARGE',
      `prompt and text files have ${size} bytes, more than ${maxPromptBytes}; leave them in the workspace and ask to read them, or raise limits.maxPromptBytes`,
      { details: { bytes: size, maxBytes: maxPromptBytes } },
    );
  return { text: whole, parts, tainted };
}

/** An attachment with its type: a text has none. */
type ReadAttachment = Awaited<ReturnType<typeof bytesOf>> &
  ({ type: MediaType; text: null } | { type: null; text: string });

/** Reads one attachment, and detects its type. @throws DetentError as {@link attach} does. */
export async function readAttachment(
  attachment: Attachment,
  i: number,
  sources: AttachmentSources,
  room: number,
): Promise<ReadAttachment> {
  const read = await bytesOf(attachment, i, sources, room);
  const { bytes, label } = read;
  const mimeType = 'data' in attachment ? attachment.mimeType : undefined;
  if (bytes.length === 0) throw unsupported(label, 'it is empty');
  const type = mediaTypeOf(bytes);
  if (mimeType !== undefined && !fits(mimeType, type?.mimeType))
    throw unsupported(
      label,
      `its mimeType is ${mimeType}, but the bytes are ${type?.mimeType ?? 'something else'}`,
    );
  if (type) return { ...read, type, text: null };
  const text = textOfBytes(bytes);
  if (text === null) throw unsupported(label, 'it is not a PNG, JPEG, GIF, WebP or PDF, and not UTF-8 text');
  return { ...read, type: null, text };
}

/**
 * Refuses attachments that none of a run's models accepts, before anything is stored or sent.
 *
 * @throws DetentError `ATTACHMENT_UNSUPPORTED` that says what the model takes; `MISSING_KEY` when no model has its key
 */
function checkAccepted(
  parts: readonly ContentPart[],
  { model, fallbacks = [], endpoint }: Pick<RunOptions, 'model' | 'fallbacks' | 'endpoint'>,
  { models = {}, env = process.env }: DetentOptions,
): void {
  const refusals: unknown[] = [];
  for (const name of [model, ...fallbacks]) {
    try {
      const taker = findModel(name, endpoint, models, env);
      const refused = parts.find((part) => whyNot(part, taker) !== null);
      if (!refused) return;
      refusals.push(notTaken(refused, name, taker));
    } catch (error) {
      // The run will use its next model.
      if (!DetentError.is(error) || error.code !== 'MISSING_KEY') throw error;
      refusals.push(error);
    }
  }
  throw refusals[0];
}

function notTaken(part: ContentPart, name: string, { accepts }: FoundModel): DetentError {
  const takes = accepts.length === 0 ? 'only text' : ['text', ...accepts].join(', ');
  return new DetentError(
    'ATTACHMENT_UNSUPPORTED',
    `${describePart(part)}: ${name} does not accept it: it accepts ${takes}; use another model, or set what this one accepts (models.PROVIDER.models.ID.accepts)`,
    { details: { name: part.name ?? null, mimeType: part.mimeType, model: name, accepts: [...accepts] } },
  );
}

/** Whether a declared type fits the detected one. All text types count as the same. */
function fits(declared: string, found: string | undefined): boolean {
  const [type = ''] = declared.toLowerCase().split(';', 1);
  const said = type.trim() === 'image/jpg' ? 'image/jpeg' : type.trim();
  if (found !== undefined) return said === found;
  return !/^(image\/(?!svg)|audio\/|video\/|application\/pdf$)/.test(said);
}

export function base64Of(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('base64');
}
