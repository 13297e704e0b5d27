/** The value under a name that came from outside: `__proto__` and `constructor` are names like any other. */
export function own<T>(values: Readonly<Record<string, T>>, name: string): T | undefined {
  return Object.hasOwn(values, name) ? values[name] : undefined;
}
