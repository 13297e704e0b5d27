import type { JsonValue } from '../../protocol/json.ts';
import type { RunView } from '../../protocol/views.ts';
import type { DetentOptions, RunRequest } from '../../runtime/config.ts';

/** A call that the scripted model makes. */
export interface SampleCall {
  /** The name of the tool. */
  name: string;
  arguments?: unknown;
  /** The arguments with which a person changes and approves the call. Left out: no path changes it. */
  change?: unknown;
  /** For a tool that asks a person while it runs, with `ask`, once: what the person answers. */
  answer?: JsonValue;
  /** For a tool that starts a run of its own, as `task` does: the call that the model makes in that run. */
  inside?: Pick<SampleCall, 'name' | 'arguments'>;
}

export interface AgentPathsOptions {
  /**
   * As for `createDetent`: agents, tools, policy, hooks, limits. The model, the store and the clock are the test's own; for each
   * fallback model there is one that takes over.
   */
  options?: DetentOptions;
  /** The options of the runs: `agent`, `approve`, `limits`. */
  request?: Omit<RunRequest, 'sessionId' | 'after' | 'mode' | 'idempotencyKey' | 'model'>;
  prompt?: string;
  /** The calls to try: one for each tool, or several tools that matter. Two or more are also made in one answer. */
  calls?: readonly SampleCall[];
  /** What the model answers in the end; with an output schema, a value that fits it. */
  answer?: JsonValue;
  /** Default: 300, the shortest ones. */
  maxPaths?: number;
  /** The names of the only paths to return: to repeat one that failed. */
  only?: string | readonly string[];
}

/** A call that reached its tool. */
export interface PerformedCall {
  tool: string;
  arguments: unknown;
  /** The same when Detent performs a call again after a crash. */
  idempotencyKey: string;
}

export interface AgentPathResult extends RunView {
  /** Every time a tool ran, in order, also those of the runs that its calls started. */
  performed: readonly PerformedCall[];
}

export interface AgentPath {
  /** What happens, as a sentence. */
  name: string;
  /** The same, one by one. */
  steps: readonly string[];
  /**
   * Leads a new run along the path, and returns the run as it ended.
   *
   * @param check your expectations: what it throws names the path, and how to repeat it
   * @throws DetentError `PATH_LEFT` when the run goes another way, because policy, a hook or a tool decides otherwise than at the
   * samples; `PATH_BROKEN` when the rows of the run are not what they must be: something is lost, left open, or was done twice.
   */
  run(check?: (result: AgentPathResult) => unknown): Promise<AgentPathResult>;
}
