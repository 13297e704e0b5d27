import type { RegisteredTool } from './registry.ts';

/** A tool that a source has; one that cannot be used is listed for people, and not shown to models. */
export interface SourcedTool extends RegisteredTool {
  unavailable: Unavailable | null;
}

/** Where tools come from that are not known when a toolbox is made: servers that are asked for them. */
export interface ToolSource {
  /**
   * Brings the tools up to date. Takes a bounded time and never rejects: what cannot be had is missing from `tools`.
   *
   * @param names the only tools that are wanted, patterns among them; null = all.
   */
  ready(names: readonly string[] | null): Promise<void>;
  /** What is known now, by name. */
  tools(): ReadonlyMap<string, SourcedTool>;
  /** Why a tool of this name is missing, when that is known. */
  whyMissing(name: string): Unavailable | null;
  close(): Promise<void>;
}

/** Why a tool cannot work here: a stable code, and what to do. */
export interface Unavailable {
  code: string;
  reason: string;
}
