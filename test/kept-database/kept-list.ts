import type { Asked, End, JobEnd } from './continue.ts';

/** What is in a kept database, and what must become of it: the list beside it. */
export interface KeptList {
  /** The clock of the process that died last. */
  endsAt: number;
  /** The workspace that its rows name. */
  madeIn: string;
  /** What only its callers were told. */
  told: Record<string, string>;
  runs: KeptRun[];
  jobs: Record<string, KeptJob>;
  /** How many rows each table has. */
  tables: Record<string, number>;
}

interface KeptRun {
  id: string;
  tenant: number;
  label: string;
  machine: string;
  /** The path of its state, as the log writes it. */
  state: string;
  /** What is open: its effects that have not ended, each with its status. */
  open: string[];
  /** What it asks; left out if it asks nothing. */
  asks?: Asked[];
  /** Left out for the run of a job. */
  ends?: End;
}

interface KeptJob {
  state: string;
  ends?: JobEnd;
}
