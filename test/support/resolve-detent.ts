import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../..', import.meta.url));

const own: Readonly<Record<string, string>> = {
  detent: `${root}src/index.ts`,
  'detent/testing': `${root}src/testing/index.ts`,
  'detent/schedule': `${root}src/schedule/index.ts`,
  'detent/gateway': `${root}src/gateway/index.ts`,
  'detent/node': `${root}src/gateway/adapters/node.ts`,
  'detent/express': `${root}src/gateway/adapters/express.ts`,
  'detent/fastify': `${root}src/gateway/adapters/fastify.ts`,
  'detent/hono': `${root}src/gateway/adapters/hono.ts`,
  'detent/client': `${root}src/client/index.ts`,
  'detent/inspect': `${root}src/inspect/index.ts`,
  'detent/workflow': `${root}src/workflow/index.ts`,
  'detent/kysely': `${root}src/store/kysely.ts`,
  'detent/machines': `${root}machines/run.machine.ts`,
};

/**
 * Vitest loads the configuration modules of workspaces, when a command runs in the process of a test. What they import
 * as `detent` is the code under test, as in a process of the program itself (src/cli/settings/module-hooks.ts). The examples import it by that name, too.
 */
export const resolveDetent = {
  name: 'resolve-detent',
  enforce: 'pre' as const,
  resolveId(source: string, importer?: string) {
    const isExample = importer?.startsWith(`${root}examples/`) === true;
    if (importer === undefined || (importer.startsWith(root) && !isExample)) return null;
    if (source === 'zod' || source === 'xstate') return { id: import.meta.resolve(source), external: true };
    return Object.hasOwn(own, source) ? own[source] : null;
  },
};
