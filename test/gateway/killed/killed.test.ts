import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { methods } from '../../../src/gateway/methods/methods.ts';
import { compileCache } from '../../support/compile-cache.ts';
import { temporaryWorkspace } from '../../support/detent.ts';
import { programFile } from '../../support/program.ts';
import { inSizes } from '../../support/size.ts';
import type { Asked } from './child.ts';
import { ask, open, scenes } from './scenes.ts';

/** The first commit is that of the key, one of the next two does what is asked, and after the fourth most are answered. */
const places = inSizes({ usual: [3], deep: [0, 3], full: [0, 1, 2, 3, 4, 5, 6] });

describe('a request whose gateway was killed within it', () => {
  it('is tried for each method whose commit notes what it did', () => {
    const noted = methods.flatMap(({ name, keyed }) => (keyed === 'noted' ? [name] : []));
    expect(Object.keys(scenes).sort()).toEqual(['agent.run', ...noted.sort()]);
  });

  it.each(places)(
    'is done once, and a repetition gets its answer: before commit %d',
    { timeout: 60_000 },
    async (n) => {
      const folder = await temporaryWorkspace();
      const { stdout, stderr, signal } = spawnSync(
        process.execPath,
        [programFile('test/gateway/killed/child'), folder, String(n)],
        {
          encoding: 'utf8',
          env: { ...process.env, ...compileCache },
        },
      );
      expect({ signal, stderr }).toEqual({ signal: 'SIGKILL', stderr: '' });
      const asked: [string, Asked][] = JSON.parse(stdout);
      expect(asked.some(([, { answer }]) => answer === null)).toBe(true);
      await Promise.all(asked.map(([name, request]) => isDoneOnce(join(folder, name), name, request)));
    },
  );
});

async function isDoneOnce(workspace: string, name: string, { answer: first, ...request }: Asked) {
  const scene = scenes[name] as (typeof scenes)[string];
  const detent = open(workspace);
  onTestFinished(() => detent.close());
  const { status, body } = await ask(detent, request);
  expect({ name, status, body }).toMatchObject({
    status: expect.toSatisfy(isSuccess),
    body: scene.answer,
  });
  if (first) expect({ status, body }).toEqual(first);
  expect({ name, left: await scene.left(detent) }).toEqual({ name, left: scene.once });
  expect(await ask(detent, request)).toEqual({ status, body });
}

function isSuccess(status: number): boolean {
  return status < 300;
}
