import type { Handlers, Tables } from './schema.ts';

export function driverStatements({
  drivers,
}: Tables): Handlers<'insertDriver' | 'findDriver' | 'lastDriver'> {
  return {
    insertDriver({ pid, at }) {
      const epoch = drivers.size + 1;
      drivers.set(epoch, { epoch, pid, startedAt: at });
      return { epoch };
    },

    findDriver({ epoch }) {
      const row = drivers.get(epoch);
      return row && { ...row };
    },

    lastDriver() {
      const row = drivers.get(drivers.size);
      return row && { epoch: row.epoch, pid: row.pid };
    },
  };
}
