import type { Tool } from '../../data/answers.ts';
import { may } from '../../data/connection.ts';
import { useRequest } from '../../data/use-request.ts';

/** The tool of a call; undefined while it is not known, and for those that only the caller of the run has. */
export function useTool(name: string): Tool | undefined {
  const { data } = useRequest('tool.list', may('read') ? {} : null);
  return data?.tools.find((tool) => tool.name === name);
}
