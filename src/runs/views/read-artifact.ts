import { readMessages } from '../../engine/log.ts';
import { DetentError } from '../../protocol/error.ts';
import type { MethodOutput } from '../../protocol/methods.ts';
import { parseMessage } from '../../store/stored-message.ts';
import type { Store } from '../rows/statements.ts';

/** Data stored beside the messages of a run: an image, a document, or the whole output of a tool. */
export interface Artifact extends Omit<MethodOutput<'artifact.read'>, 'data'> {
  bytes: Uint8Array;
}

/** @throws DetentError `NOT_FOUND`. */
export async function readArtifact(store: Store, tenant: number, id: string): Promise<Artifact> {
  const row = await store.query('findArtifact', { tenant, id });
  const owner = row && (await store.query('findArtifactRun', { tenant, id }));
  if (!owner) throw new DetentError('NOT_FOUND', `no artifact "${id}"`, { details: { id } });
  const name = await attachmentName(store, owner, id);
  return {
    bytes: new Uint8Array(Buffer.from(row.body, row.encoding)),
    mimeType: row.mime,
    ...(name !== undefined && { name }),
    runId: owner.runId,
    sessionId: owner.sessionKey,
  };
}

async function attachmentName(
  store: Store,
  { session, run: pk }: { session: number; run: number },
  id: string,
): Promise<string | undefined> {
  for await (const row of readMessages(store, { session, pk })) {
    if (!row.body.includes(id)) continue;
    const { body } = parseMessage(row);
    const part = 'parts' in body ? body.parts?.find(({ artifact }) => artifact === id) : undefined;
    if (part) return part.name;
  }
  return undefined;
}
