import { writeSync } from 'node:fs';
import type { Store } from '../../../src/store/store.ts';
import { acts, ann, open, pays } from './acts.ts';

/** Does all acts, says which are done, and dies at boundary `n`: before a commit, or when it is written and not yet told. */
const [workspace = '', n = ''] = process.argv.slice(2);
let left = Number.POSITIVE_INFINITY;
const boundary = () => {
  if (left-- <= 0) process.kill(process.pid, 'SIGKILL');
};
const store = (inner: Store): Store => ({
  ...inner,
  async commit(program) {
    boundary();
    const value = await inner.commit(program);
    boundary();
    return value;
  },
  query: (statement, input) => inner.query(statement, input),
  close: () => inner.close(),
});
const detent = open(workspace, [pays, { text: 'Here I am.' }], store);
await detent.run('buy', ann).result;
left = Number(n);
for (const act of acts) {
  await act(detent);
  writeSync(1, '.');
}
writeSync(1, 'over');
process.kill(process.pid, 'SIGKILL');
