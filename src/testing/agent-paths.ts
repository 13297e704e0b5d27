import type { AgentPath, AgentPathsOptions } from './agent/agent-path.ts';

/**
 * The paths of an agent of yours: for everything that may happen in each of its states a run that goes on to its end. A scripted
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
