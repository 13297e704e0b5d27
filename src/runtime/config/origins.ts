import type { Variables } from '../../protocol/substitute.ts';

/** A field that a variable or a flag sets. */
export interface SetField {
  path: string;
  /** The variable, or the flag without its hyphens. */
  variable: string;
  value: unknown;
}

/** Where a program that reads a configuration from outside has it from; `detent.config.origins` tells it. */
export interface ConfigOrigins {
  /** The configuration file; null when there is none. */
  file: string | null;
  /** What the file says, with these variables filled in. */
  read(env: Variables): Promise<unknown>;
  /** The fields that variables set. */
  variables: readonly SetField[];
  /** The fields that flags set, by their path. */
  flags: Readonly<Record<string, { flag: string; value: unknown }>>;
}
