import type { Handlers, Tables } from './schema.ts';

export function driverStatements({ drivers }: Tables): Handlers<'insertDriver' | 'lastDriver'> {
  return {
    insertDriver({ pid }) {
      const epoch = drivers.size + 1;
      drivers.set(epoch, { epoch, pid });
      return { epoch };
    },

    lastDriver() {
      const row = drivers.get(drivers.size);
      return row && { ...row };
    },
  };
}
