import type { Store } from '../../src/store/store.ts';

/** A store that is gone for its process from one boundary on: before a commit, or when it is written but not yet told. */
export function dyingAt(point: number) {
  let passed = 0;
  const died = Promise.withResolvers<void>();
  const boundary = () => {
    if (passed++ < point) return;
    died.resolve();
    throw new Error('the process is dead');
  };
  return {
    died: died.promise,
    get passed() {
      return passed;
    },
    decorate: (store: Store): Store => ({
      async commit(program) {
        boundary();
        const value = await store.commit(program);
        boundary();
        return value;
      },
      query: (name, input) =>
        passed > point ? Promise.reject(new Error('the process is dead')) : store.query(name, input),
      close: async () => {},
    }),
  };
}
