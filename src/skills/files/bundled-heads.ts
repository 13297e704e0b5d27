import type { ReadFields } from './frontmatter-fields.ts';

/** Of the bundled skills, in the published package alone: the build writes them, so that few starts load what reads YAML. */
export const bundledHeads: readonly (readonly [key: string, head: ReadFields])[] = [];
