import type { RunSignal } from '../../engine/bus.ts';
import type { RunRequest } from '../config/request.ts';
import type { DetentMemory } from './memory.ts';
import type { RunHandle } from './run-handle.ts';
import type { DetentRuns } from './runs.ts';
import type { DetentSessions } from './sessions.ts';
import type { DetentSkills } from './skill-views.ts';
import type { DetentTools } from './tools.ts';
import type { DetentBudgets, UsageFilter, UsageReport } from './usage-report.ts';

/** Made by {@link createDetent}. Opens its database when it is first used. */
export interface Detent {
  /** Starts a run. Failures to start reject `started` and `result`. */
  run(prompt: string, request?: RunRequest): RunHandle;
  readonly runs: DetentRuns;
  readonly sessions: DetentSessions;
  /** What is remembered between conversations. */
  readonly memory: DetentMemory;
  /** What calls of models have cost, added up from the ledger. Throws `INVALID_ARGUMENTS`. */
  usage(filter?: UsageFilter): Promise<UsageReport>;
  /** What is spent, reserved and left of the budgets that runs share. */
  readonly budgets: DetentBudgets;
  readonly tools: DetentTools;
  /** What skills there are, and which ones a prompt would be offered. */
  readonly skills: DetentSkills;
  /** Hears every signal of one run; answers how to stop. */
  on(runId: string, listener: (signal: RunSignal) => void): () => void;
  /** Stops driving and closes the database; unfinished runs stay as they are and can be resumed. */
  close(): Promise<void>;
}
