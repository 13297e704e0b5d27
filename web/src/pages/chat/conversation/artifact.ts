import { saveFile } from '../../../base/save-file.ts';
import { client } from '../../../data/connection.ts';

/** A file that a result or a message names. */
export async function readArtifact(id: string): Promise<Blob> {
  const response = await client().http(`/api/v1/artifacts/${encodeURIComponent(id)}`);
  return response.blob();
}

/** Saves a file under a name, as the browser's downloads are. */
export async function saveArtifact(id: string, name: string): Promise<void> {
  saveFile(name, await readArtifact(id));
}
