import type { DriverRow } from '../rows.ts';

/** The processes that drove runs, newest last. */
export interface DriverStatements {
  insertDriver: {
    in: Pick<DriverRow, 'pid' | 'name' | 'address' | 'token'> & { at: number };
    out: { epoch: number };
  };
  findDriver: { in: { epoch: number }; out: DriverRow | undefined };
  /** Those of which nobody knows that they ended. */
  listDrivers: { in: Record<string, never>; out: DriverRow[] };
  /** Says that a driver ended, for ever; 0 if that was known. */
  endDriver: { in: { epoch: number; at: number }; out: number };
  /** `error` is a {@link DriverError}, JSON. */
  noteDriverError: { in: { epoch: number; error: string }; out: number };
}
