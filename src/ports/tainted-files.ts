import type { ToolContext } from './tool.ts';

/** What a file holds, for those whose path is not known. */
export interface FileContent {
  /** Its size. */
  bytes: number;
  read(): Promise<Uint8Array>;
}

/**
 * The files that hold untrusted text: a run with such text in its conversation has written them, or its result was
 * delivered there. All paths are real and absolute.
 */
export interface TaintedFiles {
  /** Whether the answer that asked for a call had untrusted text in its prompt. */
  isBound(ctx: ToolContext): Promise<boolean>;
  /** Whether a file is one of them, or has the content of one under another name. */
  has(tenant: number, path: string, content: FileContent): Promise<boolean>;
  /** Those that are still in a folder, at any depth: their paths from there, with `/`. It may be behind a link. */
  listIn(tenant: number, folder: string): Promise<string[]>;
  /** Adds a file, or a folder for its name; null while its content is not known. */
  add(tenant: number, path: string, content: Uint8Array | null): Promise<void>;
  /** After `add` of null: the file holds nothing of what it held. It stays if its content was added since, by another run. */
  remove(tenant: number, path: string): Promise<void>;
}

/** For programs that keep no record. */
export const noTaintedFiles: TaintedFiles = {
  isBound: async () => false,
  has: async () => false,
  listIn: async () => [],
  add: async () => {},
  remove: async () => {},
};
