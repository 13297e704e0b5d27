import type { AnyStateMachine } from 'xstate';
import type { Workflow } from '../workflow/workflow.ts';
import type { AgentPath, AgentPathsOptions } from './agent/agent-path.ts';
import type { WorkflowPathsOptions } from './workflow/paths-of.ts';
import type { WorkflowPathsReport } from './workflow/report.ts';

/**
 * The paths of your agent: for everything that may happen in each of its states, a run that continues to its end. A scripted
 * model answers; the tools, the policy, the hooks and the prompts are yours. Only calls that nothing stops reach a tool.
 *
 * Along a path each step is compared with the run machine alone, and at its end the log is replayed. What your agent must
 * never do is your expectation at the end.
 *
 * @throws DetentError `INVALID_SAMPLE` for an output schema without an `answer`, for a call of a tool that the agent
 * does not have, and for `only` with the name of no path; and as `createDetent` and `detent.run` do.
 * @example
 * ```ts
 * const paths = await agentPaths({
 *   options: { tools: { define: [refund] } },
 *   calls: [{ name: 'refund', arguments: { order: 'A-17' } }],
 * });
 * for (const path of paths)
 *   it(path.name, () => path.run(({ performed }) => expect(performed.length).toBeLessThan(2)));
 * ```
 */
export async function agentPaths(options: AgentPathsOptions): Promise<AgentPath[]> {
  const { pathsOf } = await import('./agent/paths-of.ts');
  return pathsOf(options);
}

/**
 * Drives every path of a workflow's chart durably, and compares each step with XState alone: state, context, timers, services
 * and end, and at the end of each path the replay of its log. For each thing that may happen in each state there is a path.
 *
 * The engine is the real one, in memory. Detent calls none of your models, tools, steps or actions: the samples say what each of them returned.
 * A service with a retry policy fails twice. What the chart should do is your expectation, in `check`.
 *
 * @throws DetentError `INVALID_WORKFLOW`, `INVALID_INPUT`; `INVALID_SAMPLE` for a service without samples and for samples
 * that do not fit its schema; `CHART_THREW` when the chart throws, as a guard does that reads what no sample has.
 * @example
 * ```ts
 * const report = await workflowPaths(refund, {
 *   input: { order: 'A-17' },
 *   samples: { assess: [{ risk: 'low' }, { risk: 'high' }], pay: ['payment 7'] },
 * });
 * expect(report.differences).toEqual([]);
 * expect(report.transitions.missing).toEqual([]);
 * console.log(`${report}`);
 * ```
 */
export async function workflowPaths<Chart extends AnyStateMachine>(
  workflow: Workflow<Chart>,
  options: WorkflowPathsOptions<Chart> = {},
): Promise<WorkflowPathsReport> {
  const { pathsOf } = await import('./workflow/paths-of.ts');
  return pathsOf(workflow as Workflow, options as WorkflowPathsOptions);
}
