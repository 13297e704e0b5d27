import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import { type Detent, DetentError } from '../../src/index.ts';
import { createDetent } from '../../src/runtime/create-detent.ts';
import { expectLawful } from '../runs/events/laws.ts';
import { expectLastMoment } from '../runs/history/moment-laws.ts';
import { expectTrace } from '../runs/history/trace-laws.ts';
import { inSizes } from './size.ts';

const tampered = new Set<string>();

/** What is left in this workspace is not replayed: its test changes rows behind the back of the program. */
export function tampersWith(workspace: string): void {
  tampered.add(workspace);
}

let left = 0;
/** It is one of so many Detents. */
const oneOf = inSizes({ usual: 8, deep: 3, full: 1 });

/** Folds the log of every run again; for a Detent that is still open. */
export async function expectReplays(detent: Detent): Promise<void> {
  if (left++ % oneOf !== 0) return;
  const replays = await detent.runs.replayAll().catch((error: unknown) => {
    // Closed by its test, or a database that a test has broken on purpose.
    if (DetentError.is(error) && /^(CLOSED$|DATABASE_|INVALID_CONFIG$)/.test(error.code)) return [];
    throw error;
  });
  expect(replays.filter(({ diverged }) => diverged)).toEqual([]);
  for (const { runId, unfolded } of replays)
    if (!unfolded) expectLawful(runId, await detent.runs.timeline(runId));
  // A beginning that this program cannot fold has no moments, nor has an imported run.
  for (const { runId, unfolded, error } of replays)
    if (!unfolded && !error) {
      await expectLastMoment(detent, runId);
      await expectTrace(detent, runId);
    }
}

/** The same for the database of a workspace that no process uses any more. */
export async function expectReplaysIn(workspace: string): Promise<void> {
  const file = join(workspace, '.detent/detent.db');
  if (!existsSync(file) || tampered.has(workspace)) return;
  const detent = createDetent({ workspace, env: {}, readonly: true });
  try {
    await expectReplays(detent);
  } finally {
    await detent.close();
  }
}
