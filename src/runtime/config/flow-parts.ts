import type { Engine } from '../../engine/engine.ts';
import type { Runs, StartRun } from '../../runs/runs.ts';
import type { RunBudget, RunOptions } from '../../store/run-options.ts';
import type { Store } from '../../store/store.ts';
import type { Workflows } from '../../workflow/registry.ts';
import type { DetentOptions } from './detent-options.ts';
import type { RunRequest } from './request.ts';

/** What workflows need of the program that runs them: a whole Detent has it, and so does a core in an app. */
export interface FlowParts {
  store: Store;
  engine: Engine;
  runs: Runs;
  workflows: Pick<Workflows, 'declared' | 'find' | 'hosts'>;
  tenants(tenant: number): Promise<{ workspace: string | null }>;
  redact(text: string): string;
  /** Stores the configured limits of a shared budget, and of the account of a user. */
  declareBudget(tenant: number, budget: RunBudget, user: string | null): Promise<void>;
}

/** How a program starts the runs that services need. */
export interface ServiceStarter {
  /** Where the run that began it is at home. */
  place?: Pick<RunOptions, 'place'>;
  parts: Pick<FlowParts, 'runs' | 'tenants' | 'declareBudget'>;
  config: Pick<DetentOptions, 'limits' | 'agents'>;
  /** The run of an agent, or of one answer of a model. See `startRun`. */
  run(prompt: string, request: RunRequest, runId: string, inherited: Inherited): Promise<unknown>;
  /** What the run of a call is made with. See `startRequest`. */
  resolve(request: RunRequest, runId: string): StartRun;
}

/** What the run of a service has of the run that began it. */
export type Inherited = Pick<
  RunOptions,
  'tainted' | 'linked' | 'parentRunId' | 'parentCall' | 'depth' | 'place'
>;
