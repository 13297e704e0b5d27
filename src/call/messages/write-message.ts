import type { CommitScope } from '../../engine/machine.ts';
import { base64Bytes, type ContentPart, type StoredPart } from '../../protocol/content.ts';
import type { Program } from '../../store/program.ts';
import type { MessageRole } from '../../store/rows.ts';
import {
  type AssistantBody,
  bodyText,
  type StaffBody,
  type StoredMessage,
  type StoredTaint,
  type SummaryBody,
  type ToolBody,
  type UserBody,
} from '../../store/stored-message.ts';
import { randomId } from '../../text/ids.ts';
import { tell } from '../statements.ts';

/** Writes one message in the commit of its transition, with known secrets taken out. */
export function* writeMessage(
  scope: CommitScope,
  role: MessageRole,
  body: UserBody | AssistantBody | StaffBody | ToolBody | SummaryBody,
): Program<void> {
  const text = scope.redact(bodyText({ role, body } as StoredMessage));
  yield* tell('insertMessage', { ...scope.nextMessage(role, text), tenant: scope.row.tenant });
}

/** A part whose artifact has an id but is not stored yet. */
export interface NewPart {
  stored: StoredPart;
  data: string;
}

/** Assigns artifact ids to parts. */
export function namedParts(parts: readonly ContentPart[]): NewPart[] {
  return parts.map(({ data, ...head }) => ({
    stored: { ...head, artifact: randomId('art'), bytes: base64Bytes(data) },
    data,
  }));
}

/** The `parts` field of a message; empty without parts. */
export function partsField(parts: readonly NewPart[]): { parts?: StoredPart[] } {
  return parts.length === 0 ? {} : { parts: parts.map(({ stored }) => stored) };
}

/** Writes the bytes in the commit of their message. Binary data is not redacted. */
export function* writeParts({ row, at }: CommitScope, parts: readonly NewPart[]): Program<void> {
  for (const { stored, data } of parts)
    yield* tell('insertArtifact', {
      tenant: row.tenant,
      id: stored.artifact,
      run: row.pk,
      mime: stored.mimeType,
      encoding: 'base64',
      body: data,
      createdAt: at,
    });
}

/** Writes a message of the user with its parts. */
export function* writeUserMessage(
  scope: CommitScope,
  text: string,
  parts: readonly NewPart[] = [],
  tainted: readonly StoredTaint[] = [],
): Program<void> {
  yield* writeMessage(scope, 'user', {
    text,
    ...partsField(parts),
    ...(tainted.length > 0 && { tainted: [...tainted] }),
  });
  yield* writeParts(scope, parts);
}

/** The beginning and the end of a long text, with a note about how much is left out. */
export function preview(text: string, maxChars: number): string {
  if (text.length <= maxChars) return text;
  const head = Math.floor(maxChars * 0.8);
  const tail = maxChars - head;
  return `${text.slice(0, head)}\n[… ${text.length - maxChars} characters left out …]\n${text.slice(-tail)}`;
}
