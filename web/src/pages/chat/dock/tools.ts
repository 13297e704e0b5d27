import type { JsonObject } from '../../../../../src/protocol/json.ts';
import { useRequest } from '../../../data/use-request.ts';

/** A tool as `tool.list` shows it. */
export interface ToolView {
  name: string;
  description: string;
  parameters: JsonObject;
  /** Null where it depends on the arguments. */
  sideEffect: string | null;
  grantBy?: readonly string[];
}

/** The tool of a call; undefined while it is not known, and for those that only the caller of the run has. */
export function useTool(name: string): ToolView | undefined {
  const { data } = useRequest('tool.list', {});
  return (data?.tools as unknown as ToolView[] | undefined)?.find((tool) => tool.name === name);
}
