import type { DriverError } from '../rows.ts';

/** The processes that drove runs, newest last. */
export interface DriverStatements {
  insertDriver: { in: { pid: number; at: number }; out: { epoch: number } };
  findDriver: {
    in: { epoch: number };
    out: { epoch: number; pid: number; startedAt: number; lastError: string | null } | undefined;
  };
  /** `error` is a {@link DriverError}, JSON. */
  noteDriverError: { in: { epoch: number; error: string }; out: number };
  lastDriver: { in: Record<string, never>; out: { epoch: number; pid: number } | undefined };
}
