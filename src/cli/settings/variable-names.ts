import type { Variables } from '../../protocol/json.ts';

export const prefix = 'DETENT_';

/** Other programs know it, too: it counts where no other variable names the database. */
export const databaseVariable = 'DATABASE_URL';

/** Variables with the prefix that set no field. */
export const reserved = /^DETENT_(HOME|DEBUG|TRUST|TEST_.*)$/;

/** The variable of a field: `DETENT_LIMITS_MAX_STEPS` for `limits.maxSteps`. */
export function variableOf({ path }: { path: string }): string {
  return `${prefix}${path
    .replaceAll('.', '_')
    .replaceAll(/[A-Z]/g, (letter) => `_${letter}`)
    .toUpperCase()}`;
}

/** Whether variables set fields, or are meant to. Without any, a command loads no schema of the configuration. */
export function hasVariables(env: Variables): boolean {
  return Object.keys(env).some(
    (name) => (name.startsWith(prefix) || name === databaseVariable) && !!env[name] && !reserved.test(name),
  );
}
