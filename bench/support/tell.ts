/** How far it is, on a terminal's stderr alone. */
export function tell(what: string): void {
  if (process.stderr.isTTY) process.stderr.write(`\r\x1b[K${what}`);
}
