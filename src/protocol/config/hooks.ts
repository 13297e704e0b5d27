import * as z from 'zod/mini';
import { field } from './field.ts';
import { positive } from './values.ts';

/** Functions that only a program can bring. */
const list = z.optional(z.array(z.custom((value) => typeof value === 'function', 'expected a function')));

export const hooks = field(
  z.strictObject({
    runStart: list,
    beforeModel: list,
    afterModel: list,
    beforeTool: list,
    afterTool: list,
    beforeCompact: list,
    runEnd: list,
  }),
  {
    text: 'Your functions at fixed points of every run; see [hooks](hooks.md).',
    defaultText: 'none',
    code: "{ beforeTool: [({ tool }) => (tool === 'shell' ? { veto: 'not today' } : null)] }",
  },
);

export const hookTimeoutMs = field(positive, {
  text: 'For one call of one hook; after that what it was asked about is refused.',
  default: 5_000,
});
