/**
 * One line of a session's log, without its line end. Writes `ts` always as a float, as the Kotlin SDK does, and leaves out
 * `undefined` fields.
 */
export function jsonLine(event: Readonly<Record<string, unknown>>): string {
  const fields = Object.entries(event).flatMap(([name, value]) =>
    value === undefined ? [] : [`${JSON.stringify(name)}:${jsonOf(name, value)}`],
  );
  return `{${fields.join(',')}}`;
}

function jsonOf(name: string, value: unknown): string {
  return name === 'ts' && Number.isInteger(value) ? `${value}.0` : JSON.stringify(value);
}
