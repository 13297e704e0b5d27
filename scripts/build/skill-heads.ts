import { globSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import type { Plugin } from 'rolldown';
import { headKey, headOf } from '../../src/skills/files/head.ts';
import { readHead } from '../../src/skills/files/read-head.ts';

const skills = resolve(import.meta.dirname, '../../skills');

/** Prints what discovery keeps of the bundled skills: a file that was changed since is read as all others are. */
export const skillHeads: Plugin = {
  name: 'heads of the bundled skills',
  load: {
    filter: { id: /[\\/]src[\\/]skills[\\/]files[\\/]bundled-heads\.ts$/ },
    async handler() {
      const heads = globSync('*/SKILL.md', { cwd: skills })
        .sort()
        .map(async (file) => {
          const [folder, { text }] = [basename(dirname(file)), readHead(join(skills, file))];
          return [headKey(text, folder), await headOf(text, folder)];
        });
      return {
        code: `export const bundledHeads = ${JSON.stringify(await Promise.all(heads))};`,
        moduleType: 'js',
      };
    },
  },
};
