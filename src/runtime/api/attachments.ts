import { defaultTenant } from '../../protocol/access.ts';
import type { Artifact } from '../../runs/views.ts';
import type { Core, Listing } from '../config/core.ts';
import type { Upload, UploadRequest } from '../requests/uploads.ts';

/** Files that are uploaded before the message that they go with. */
export interface DetentAttachments {
  /**
   * Stores a file for a message to come: `attachments: [{ id }]` of a run's request. It can be used for a day; a run
   * that uses it keeps its own copy. The types and limits are those of `attachments` of a request; the type is detected
   * from the bytes. Throws `ATTACHMENT_TOO_LARGE`, `ATTACHMENT_UNSUPPORTED`.
   *
   * @param data bytes, or base64
   */
  put(data: Uint8Array | string, request?: UploadRequest): Promise<Upload>;
}

/** Data stored beside the messages of runs: images, documents, and long outputs of tools. */
export interface DetentArtifacts {
  /**
   * Reads an artifact that an event, a result or an attachment names. Throws `NOT_FOUND`, also for artifacts of other
   * tenants.
   *
   * @returns also the run that it belongs to, so that a server can check whose it is
   */
  read(id: string, tenantId?: number): Promise<Artifact>;
}

/**
 * @param core opens the parts on first use.
 *
 * @internal
 */
export function attachmentsApi(core: () => Promise<Core>): DetentAttachments {
  return {
    async put(data, request = {}) {
      const { putUpload } = await import('../requests/uploads.ts');
      return putUpload(await core(), request.tenantId ?? defaultTenant, data, request);
    },
  };
}

/**
 * @param listing opens the database on first use.
 *
 * @internal
 */
export function artifactsApi(listing: () => Promise<Pick<Listing, 'store'>>): DetentArtifacts {
  return {
    async read(id, tenantId = defaultTenant) {
      const { readArtifact } = await import('../../runs/views.ts');
      return readArtifact((await listing()).store, tenantId, id);
    },
  };
}
