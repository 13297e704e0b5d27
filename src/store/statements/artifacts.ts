import type { ArtifactRow, Scoped } from '../rows.ts';

/** Parts of messages that are stored separately: long text, images. */
export interface ArtifactStatements {
  insertArtifact: { in: ArtifactRow & Scoped; out: number };
  findArtifact: { in: Scoped & { id: string }; out: ArtifactRow | undefined };
}
