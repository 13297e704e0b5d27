import type { Detent, HookRecord } from '../../../src/index.ts';

/** What hooks did in a run, as its log has it: `beforeTool guard veto`. */
export async function recordsOf(detent: Detent, runId: string): Promise<HookRecord[]> {
  const events = await detent.runs.events(runId);
  return events.flatMap(({ event }) => (event.hooks ?? []) as HookRecord[]);
}

/** The same in short. */
export async function didOf(detent: Detent, runId: string): Promise<string[]> {
  return (await recordsOf(detent, runId)).map(({ hook, name, did }) => `${hook} ${name} ${did}`);
}
