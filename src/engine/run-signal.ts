/** Something that happened in a run. Transitions have a `seq` and are in the log. All other signals are not stored. */
export interface RunSignal {
  runId: string;
  type: string;
  seq?: number;
  [key: string]: unknown;
}
