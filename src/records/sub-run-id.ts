/** A call has one sub-run for all its attempts, so the id is made of the call's. */
export function subRunId(runId: string, call: number): string {
  return `${runId}.c${call}`;
}

/** A sub-run has a session of its own: in its parent's it would wait for its parent to end. */
export function subRunSession(id: string): string {
  return `task:${id}`;
}

export function isSubRunSession(key: string): boolean {
  return /^task:.+\.c\d+$/.test(key);
}
