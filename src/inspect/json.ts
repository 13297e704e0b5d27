/** Levels of a value; what lies deeper is left out. */
const maxLevels = 50;

/** JSON of any value of a program: functions by their names, cycles and what lies too deep in words. */
export function jsonOf(value: unknown): string {
  const around: unknown[] = [];
  return JSON.stringify(value, function (this: unknown, _key, one: unknown) {
    if (typeof one === 'bigint') return String(one);
    if (typeof one === 'function') return { type: one.name };
    if (typeof one !== 'object' || one === null) return one;
    while (around.length > 0 && around.at(-1) !== this) around.pop();
    if (around.includes(one)) return '[Circular]';
    if (around.length >= maxLevels) return '[Object]';
    around.push(one);
    return one;
  });
}
