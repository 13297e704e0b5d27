import { maxPartBytes } from '../../protocol/content.ts';
import type { MethodOutput } from '../../protocol/methods.ts';
import { type Ask, order, request, type Tell } from '../../store/program.ts';
import type { Statements, StatementsOf } from '../../store/statements.ts';
import { randomId } from '../../text/ids.ts';
import type { Core } from '../config/core.ts';
import type { AttachmentSources } from './attachment-bytes.ts';
import { base64Of, readAttachment } from './attachments.ts';
import { unknownTenant } from './check-tenant.ts';

/** How long an upload may be used. A run that uses it has a copy of its own. */
const maxAgeMs = 86_400_000;

type Place = Pick<Core, 'store' | 'clock'>;

const ask: Ask<StatementsOf<'uploads'> & Pick<Statements, 'findTenant'>> = request;
const tell: Tell<StatementsOf<'uploads'>> = order;

/** A file for a message to come. */
export interface Upload extends MethodOutput<'attachment.put'> {}

export interface UploadRequest {
  name?: string;
  /** Only a check: `ATTACHMENT_UNSUPPORTED` if the bytes are of another type. */
  mimeType?: string;
  /** Default: 1. */
  tenantId?: number;
  /** The only user whose runs may use it. Default: all of the tenant. */
  userId?: string;
}

/**
 * Stores a file for a message to come, and removes the uploads of more than a day ago.
 *
 * @throws DetentError `ATTACHMENT_TOO_LARGE`, `ATTACHMENT_UNSUPPORTED`.
 * @internal
 */
export async function putUpload(
  { store, clock, redact }: Place & Pick<Core, 'redact'>,
  tenant: number,
  data: Uint8Array | string,
  { name, mimeType, userId }: UploadRequest,
): Promise<Upload> {
  const attachment = {
    data,
    ...(name !== undefined && { name }),
    ...(mimeType !== undefined && { mimeType }),
  };
  const read = await readAttachment(attachment, 0, { workspace: null }, maxPartBytes);
  // A text goes into messages, which have no known secrets either.
  const stored = read.type ? read.bytes : new TextEncoder().encode(redact(read.text));
  const upload = {
    id: randomId('upl'),
    name: read.name === undefined ? null : redact(read.name),
    mime: read.type?.mimeType ?? 'text/plain',
  };
  const createdAt = clock.now();
  await store.commit(function* () {
    if (!(yield* ask('findTenant', { tenant }))) throw unknownTenant(tenant);
    yield* ask('deleteUploadsBefore', { at: createdAt - maxAgeMs });
    yield* tell('insertUpload', {
      ...upload,
      tenant,
      user: userId ?? null,
      body: base64Of(stored),
      createdAt,
    });
  });
  const { id, mime } = upload;
  return { id, mimeType: mime, name: upload.name, bytes: read.bytes.length };
}

/**
 * Where the attachments of a message are found, for a user of a tenant.
 *
 * @internal
 */
export function sourcesFor(
  {
    store,
    clock,
    workspace,
    files: { tainted },
  }: Place & Pick<Core, 'files'> & Pick<AttachmentSources, 'workspace'>,
  tenant: number,
  user: string | null,
): AttachmentSources {
  return {
    workspace,
    async upload(id) {
      const found = await store.query('findUpload', { tenant, id });
      if (!found || (found.user !== null && found.user !== user)) return null;
      if (found.createdAt < clock.now() - maxAgeMs) return null;
      return { bytes: Buffer.from(found.body, 'base64'), name: found.name };
    },
    isTainted: (bytes, path) =>
      tainted.has(tenant, path ?? '', { bytes: bytes.length, read: async () => bytes }),
  };
}
