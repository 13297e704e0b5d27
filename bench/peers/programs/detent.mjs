// Detent as a program of a user has it. Modes: `in process`, `NORMAL`, `FULL`.
import { mkdtempSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { createDetent, defineTool } from 'detent';

export function open({ url, mode, folder, model, system, prompt, tool, lookup }) {
  const workspace = mkdtempSync(join(folder, 'workspace-'));
  const detent = createDetent({
    workspace,
    system,
    model: `mock/${model}`,
    models: { mock: { baseUrl: url, apiKeyEnv: 'MOCK_KEY' } },
    env: { MOCK_KEY: 'x' },
    tools: {
      define: [
        defineTool({
          ...tool,
          jsonSchema: { type: 'object', properties: { step: { type: 'number' } }, required: ['step'] },
          sideEffect: 'readonly',
          run: ({ step }) => lookup(step),
        }),
      ],
      allowed: [tool.name],
    },
    skills: { bundled: false },
    memory: { recall: false },
    ...(mode === 'in process' ? { store: 'in-process' } : { database: { synchronous: mode } }),
  });
  return {
    async run() {
      const { status, text, error } = await detent.run(prompt).result;
      if (status !== 'done') throw new Error(`${status}: ${error?.message}`);
      return text;
    },
    /** The bytes that it leaves on the disk. */
    async close() {
      await detent.close();
      if (mode === 'in process') return null;
      const own = join(workspace, '.detent');
      const files = readdirSync(own).filter((name) => name.startsWith('detent.db'));
      return files.reduce((sum, name) => sum + statSync(join(own, name)).size, 0);
    },
  };
}
