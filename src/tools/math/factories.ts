import { createRequire } from 'node:module';
import type { create as createType, FactoryFunctionMap } from 'mathjs';

/**
 * All of mathjs, from its published bundle: the ES modules, some 1,600 files, hold the event loop for 0.7 s, the bundle for
 * 0.08 s (both measured on the build machine, Node 24.21). The build of Detent puts `scripts/build/math-factories.mjs` in the place
 * of this module, which has less.
 */
const bundle = createRequire(import.meta.url)('mathjs/lib/browser/math.js') as {
  create: typeof createType;
  all: FactoryFunctionMap;
};

export const { create } = bundle;
/** What parses, and makes decimal numbers. */
export const parserFactories: FactoryFunctionMap = bundle.all;
/** What converts units of decimal numbers. */
export const unitFactories: FactoryFunctionMap = bundle.all;
