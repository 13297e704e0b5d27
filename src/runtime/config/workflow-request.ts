import type { MethodOutput } from '../../protocol/methods.ts';
import type { Answer } from '../../protocol/views.ts';

/** How a run of a workflow is started. All have a default. */
export interface WorkflowRequest {
  /**
   * A word of your choice for this request: a second request with it, of the same tenant and user, gets the run of the first.
   * With another input it throws `IDEMPOTENCY_CONFLICT`.
   */
  idempotencyKey?: string;
  /** What the services of the run may spend together; never more than the workflow declares. */
  limits?: { maxTokens?: number; maxCostUsd?: number };
  /** Name of a configured budget, instead of the one that the workflow declares. */
  budget?: string;
  /** Whether an administrator chose them: as of `RunRequest`. */
  byAdmin?: boolean;
  /** Only stores the run: another process with this workflow, or `runs.resume`, drives it. */
  isLeft?: boolean;
  /** For whom it runs. */
  principal?: { tenantId?: number; userId?: string; claims?: Record<string, string> };
  /** Who asks for it, if that is not its user. */
  by?: string;
}

/** An answer to a chart's question: a decision, or the value that the question asks for. */
export type WorkflowAnswer =
  | { approved: boolean; reason?: string }
  | { answer: Answer }
  | { declined: true; reason?: string };

/** A workflow that this program can run. */
export interface WorkflowSummary extends MethodOutput<'workflow.get'> {}
