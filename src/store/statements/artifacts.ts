import type { ArtifactRow, Scoped } from '../rows.ts';

/** Parts of messages that are stored separately: long text, images. */
export interface ArtifactStatements {
  insertArtifact: { in: ArtifactRow & Scoped; out: number };
  /** The run that an artifact belongs to. */
  findArtifactRun: {
    in: Scoped & { id: string };
    out: { run: number; runId: string; session: number; sessionKey: string } | undefined;
  };
  findArtifact: { in: Scoped & { id: string }; out: ArtifactRow | undefined };
}
