import type { Unavailable } from '../../protocol/ports.ts';
import type { RegisteredTool } from './registry.ts';

/** A tool of a source. People see an unusable one in lists; models do not see it. */
export interface SourcedTool extends RegisteredTool {
  unavailable: Unavailable | null;
}

/** A source of tools that are unknown when the toolbox is made: MCP servers list them later. */
export interface ToolSource {
  /**
   * Updates the tools. Takes a bounded time and never rejects: tools that it cannot get are missing from `tools`.
   *
   * @param names the tools that are needed, as names and patterns; null = all.
   */
  ready(names: readonly string[] | null): Promise<void>;
  /** The tools known now, by name. */
  tools(): ReadonlyMap<string, SourcedTool>;
  /** Why a tool of this name is missing, if known. */
  whyMissing(name: string): Unavailable | null;
  close(): Promise<void>;
}
