import './globals.ts';
import { SubRuns } from '../runs/sub-runs.ts';
import { subRunRequest } from '../runtime/requests.ts';
import { taskTool } from '../tools/builtin.ts';
import type { CoreSubRuns } from './options.ts';

/**
 * What an app needs whose agents hand work on to other agents: pass it to `createCore`, then they have the tool `task`.
 *
 * @example
 * ```ts
 * const core = createCore({ host: { storage }, models, agents: { reader: { systemPrompt: 'You read.' } }, subRuns });
 * ```
 */
export const subRuns: CoreSubRuns = {
  tool: taskTool,
  open: ({ config, resolve, ...parts }) =>
    new SubRuns({
      ...parts,
      plan: async (parent, request, left) => subRunRequest(parent, request, left, { config, resolve }),
    }),
};

export type { CoreSubRuns } from './options.ts';
