/** Finding a run, whom it belongs to, and what its rows say; and the hosts of runs without an agent. */
export { kindOf } from './kinds/kind-of.ts';
export type { RunKind } from './kinds/run-kind.ts';
export { findRow, findRunId, newestRun, refuseUnheard } from './rows/find-run.ts';
export { importedHost, importedOptions, writeHistory } from './rows/imported.ts';
export { KeyedRequests, type OfCommand, type OfRequest } from './rows/keyed-requests.ts';
export { ownerOfRun, ownerOfSession } from './rows/owners.ts';
export { removeRun } from './rows/remove-run.ts';
export { type IsDriven, runStatus, statusAmongRuns } from './rows/run-status.ts';
export { ask, type Store } from './rows/statements.ts';
export { isDecided } from './rows/sub-run-rows.ts';
export { taintOfRun } from './rows/taint-of-run.ts';
export { uncountAttempt } from './rows/uncount-attempt.ts';
export { createTakeoverHost } from './takeover/takeover-host.ts';
