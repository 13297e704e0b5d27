import type { Variables } from '../../protocol/json.ts';

/** A field that a variable or a flag sets. */
export interface SetField {
  path: string;
  /** The variable, or the flag without its hyphens. */
  variable: string;
  value: unknown;
}

/** The sources of a configuration that a program reads from outside, for `detent.config.origins`. */
export interface ConfigOrigins {
  /** The configuration file; null when there is none. */
  file: string | null;
  /** The content of the file, with these variables filled in. */
  read(env: Variables): Promise<unknown>;
  /** The fields that variables set. */
  variables: readonly SetField[];
  /** The fields that flags set, by their path. */
  flags: Readonly<Record<string, { flag: string; value: unknown }>>;
}
