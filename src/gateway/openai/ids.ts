/** What the clients of OpenAI call the parts of a run. */

/** As Detent makes the ids of runs that clients start. */
const ofRun = 'run_[0-9a-z]{16}';
const ofCall = new RegExp(`^call_(${ofRun})_(c[1-9][0-9]{0,8})$`);
const ofReply = new RegExp(`^(${ofRun})-([2-9]|[1-9][0-9]{1,4})$`);

/** A call of a run, as a client knows it: the id says where it belongs, so that a client needs to know nothing else. */
interface CallName {
  runId: string;
  /** `c7`. */
  callId: string;
}

export function callName({ runId, callId }: CallName): string {
  return `call_${runId}_${callId}`;
}

/** Null for the id of a call that none of our runs made. */
export function readCallName(id: string): CallName | null {
  const [, runId, callId] = ofCall.exec(id) ?? [];
  return runId === undefined || callId === undefined ? null : { runId, callId };
}

/** The id of the completion, or of the response, that a reply of a run is. The first one has the id of the run. */
export function replyName(runId: string, n: number): string {
  return n === 1 ? runId : `${runId}-${n}`;
}

export function readReplyName(id: string): { runId: string; n: number } {
  const [, runId, n] = ofReply.exec(id) ?? [];
  return runId === undefined ? { runId: id, n: 1 } : { runId, n: Number(n) };
}
