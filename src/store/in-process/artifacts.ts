import type { ArtifactStatements } from '../statements/artifacts.ts';
import { constraintFailed } from './errors.ts';
import { type Handlers, requireRun, scoped, type Tables } from './schema.ts';

export function artifactStatements(tables: Tables): Handlers<ArtifactStatements> {
  const { artifacts, artifactsOfRun } = tables;
  return {
    insertArtifact({ tenant, id, run, mime, encoding, body, createdAt }) {
      requireRun(tables, run);
      if (artifacts.get(scoped(tenant, id))) throw constraintFailed(`artifact "${id}" exists`);
      artifacts.set(scoped(tenant, id), { id, run, mime, encoding, body, createdAt });
      artifactsOfRun.add(run, { key: scoped(tenant, id) });
      return 1;
    },

    findArtifactRun({ tenant, id }) {
      const artifact = artifacts.get(scoped(tenant, id));
      const run = artifact && tables.runs.get(artifact.run);
      return run && { run: run.pk, runId: run.id, session: run.session, sessionKey: run.sessionKey };
    },

    findArtifact({ tenant, id }) {
      const row = artifacts.get(scoped(tenant, id));
      return row && { ...row };
    },
  };
}
