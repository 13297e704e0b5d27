import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { scopes } from '../../../src/protocol/access.ts';
import type { Store } from '../../../src/store/store.ts';
import { ask, open, scenes } from './scenes.ts';

/** A request as it was made, and what it was answered; null when the process was killed within it. */
export interface Asked {
  verb: string;
  path: string;
  body?: object;
  token: string;
  answer: Awaited<ReturnType<typeof ask>> | null;
}

/** Makes the request of each scene, in a database of its own, and dies when each has been answered or stands before its commit `n`. */
const [folder = '', n = ''] = process.argv.slice(2);
const asked = await Promise.all(
  Object.entries(scenes).map(async ([name, { verb, prepare }]): Promise<[string, Asked]> => {
    const workspace = join(folder, name);
    mkdirSync(workspace);
    const halted = Promise.withResolvers<null>();
    let left = Number.POSITIVE_INFINITY;
    const store = (inner: Store): Store => ({
      ...inner,
      commit(program) {
        left -= 1;
        if (left >= 0) return inner.commit(program);
        halted.resolve(null);
        return new Promise(() => {});
      },
      query: (statement, input) => inner.query(statement, input),
      close: () => inner.close(),
    });
    const detent = open(workspace, { store });
    const request = { verb, ...(await prepare(detent)) };
    const { token } = await detent.tokens.create({ scopes });
    left = Number(n);
    const answer = await Promise.race([ask(detent, { ...request, token }), halted.promise]);
    return [name, { ...request, token, answer }];
  }),
);
process.stdout.write(JSON.stringify(asked), () => process.kill(process.pid, 'SIGKILL'));
