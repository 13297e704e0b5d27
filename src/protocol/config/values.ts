import * as z from 'zod/mini';

export const positive = z.number().check(z.gt(0));
export const count = z.number().check(z.int(), z.gt(0));
export const countOrNone = z.number().check(z.int(), z.gte(0));
export const text = z.string().check(z.minLength(1));
export const texts = z.array(text);
export const headers = z.record(z.string(), z.string());

/** Names of agents, tool sets, budgets and servers: people type them in a shell, programs send them in URLs. */
export const name = z
  .string()
  .check(z.regex(/^[A-Za-z0-9][A-Za-z0-9_.-]{0,63}$/, 'a name is 1 to 64 letters, digits, "_", "." or "-"'));

export function share(min: number, max: number) {
  return z.number().check(z.gte(min), z.lte(max));
}

/** An object that only a program can set, checked by its one essential method. */
export function withMethod(method: string, what: string) {
  return z.custom(
    (value) => typeof (value as Record<string, unknown> | null)?.[method] === 'function',
    `expected ${what}`,
  );
}
