import { join } from 'node:path';
import * as z from 'zod';
import { type Detent, type DetentOptions, defineTool } from '../../src/index.ts';
import { createDetent } from '../../src/runtime/create-detent.ts';
import { type Lookup, prompt, type Subject, system, type Work } from './work.ts';

export interface DetentMode {
  store: 'in-process' | 'NORMAL' | 'FULL';
  groupCommit?: boolean;
}

/** Detent with one tool, as a program would set it up. */
function openDetent({ store, groupCommit }: DetentMode, work: Work, lookup: Lookup): Detent {
  const tool = defineTool({
    name: lookup.name,
    description: lookup.description,
    parameters: z.object({ step: z.number() }),
    sideEffect: 'readonly',
    run: ({ step }) => lookup.run(step),
  });
  const database: DetentOptions = {
    database: {
      file: join(work.folder, 'detent.db'),
      synchronous: store === 'NORMAL' ? 'NORMAL' : 'FULL',
      ...(groupCommit !== undefined && { groupCommit }),
    },
  };
  return createDetent({
    workspace: work.folder,
    system,
    model: `mock/mock-${work.rounds}`,
    models: { mock: { baseUrl: work.url, apiKeyEnv: 'MOCK_KEY' } },
    env: { MOCK_KEY: 'x' },
    tools: { define: [tool], allowed: [tool.name] },
    ...(store === 'in-process' ? { store } : database),
  });
}

/** Every run is in a session of its own, through the default provider. */
export function createDetentSubject(mode: DetentMode, work: Work, lookup: Lookup): Subject {
  const detent = openDetent(mode, work, lookup);
  return {
    async run() {
      const { text, status, error } = await detent.run(prompt).result;
      if (status !== 'done') throw new Error(`run ${status}: ${error?.message}`);
      return text;
    },
    close: () => detent.close(),
  };
}
