// Mastra's workflows in its own store. Modes: NORMAL, as it opens a database, and FULL. Runs at once use further connections, which are at FULL.
import { Mastra } from '@mastra/core';
import { createStep, createWorkflow } from '@mastra/core/workflows';
import { LibSQLStore } from '@mastra/libsql';
import { z } from 'zod';

const schema = z.object({ n: z.number() });

export async function open({ file, mode, lengths, bump }) {
  const storage = new LibSQLStore({ id: 'bench', url: `file:${file}` });
  await storage.init();
  if (mode === 'FULL') await storage.client.execute('pragma synchronous = FULL');
  const workflows = Object.fromEntries(
    lengths.map((length) => [`steps-${length}`, workflowOf(length, bump)]),
  );
  const mastra = new Mastra({ storage, workflows, logger: false });
  return {
    async run(length) {
      const run = await mastra.getWorkflow(`steps-${length}`).createRun();
      const { status, result, error } = await run.start({ inputData: { n: 0 } });
      if (status !== 'success') throw new Error(`${status}: ${error}`);
      return result.n;
    },
    close() {},
  };
}

function workflowOf(length, bump) {
  const steps = Array.from({ length }, (_, i) =>
    createStep({
      id: `s${i}`,
      inputSchema: schema,
      outputSchema: schema,
      execute: async ({ inputData: { n } }) => ({ n: bump(n) }),
    }),
  );
  const workflow = createWorkflow({ id: `steps-${length}`, inputSchema: schema, outputSchema: schema });
  return steps.reduce((built, one) => built.then(one), workflow).commit();
}
