import * as z from 'zod/mini';
import { defaults } from '../enums.ts';
import { field } from './field.ts';
import { positive } from './values.ts';

/** Functions: only a program can set them, a YAML or JSON file cannot. */
const list = z.optional(z.array(z.custom((value) => typeof value === 'function', 'expected a function')));

export const hooks = field(
  z.strictObject({
    runStart: list,
    beforeModel: list,
    afterModel: list,
    beforeTool: list,
    afterTool: list,
    beforeCompact: list,
    runWaiting: list,
    runDecided: list,
    runEnd: list,
  }),
  {
    text: 'Functions that are called at fixed points of every run; see [hooks](hooks.md).',
    defaultText: 'none',
    code: "{ beforeTool: [({ tool }) => (tool === 'shell' ? { veto: 'not today' } : null)] }",
  },
);

export const hookTimeoutMs = field(positive, {
  text: 'Timeout of one hook call, which then counts as a veto.',
  default: defaults.hookTimeoutMs,
});
