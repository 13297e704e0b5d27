import {
  cancelledState,
  failedState,
  flowContextOf,
  flowOutputOf,
  isOwnWork,
  type OpenService,
  queuedState,
  subRunId,
  workflowId,
} from '../../store/stored-run.ts';
import type { RunKind, StateOfRun } from './run-kind.ts';

/**
 * Runs of workflows. A workflow has work of its own only in its steps and actions, and until the run of a service has
 * begun. Everything else it waits for: a person who says what became of a step, the runs of its services, events and
 * timers. No process waits with it.
 */
export const workflowKind: RunKind = {
  isQueued: ({ state }) => JSON.parse(state) === queuedState,
  isAsking: (row) => has(row, ({ kind }) => kind === 'uncertain'),
  isAskingPath: () => false,
  isAtWork: (row) => has(row, isOwnWork),
  childIds(row) {
    if (row.ended) return [];
    return flowContextOf(row).open.flatMap(({ kind, n }) => (kind === 'run' ? [subRunId(row.id, n)] : []));
  },
  waitsInProcess: false,
  endedAs: (row) => flowOutputOf(row)?.outcome ?? 'failed',
  // The states of a chart do not say whether it waits.
  isWorking: () => false,
  stateOf: (path) => path,
  countedAs(path, isEnded) {
    if (path === queuedState) return 'idle';
    if (path === failedState) return 'failed';
    if (path === cancelledState) return 'cancelled';
    return isEnded ? 'done' : 'workflow';
  },
  firstPath: queuedState,
  // A workflow has no agent and no model; its services have their own.
  asked: (row) => ({
    outcome: flowOutputOf(row)?.outcome ?? null,
    agent: '',
    model: '',
    workflow: workflowId(row),
  }),
  error(row) {
    const output = flowOutputOf(row);
    // The reason of a cancellation is not an error.
    return output?.outcome === 'failed' ? output.error : null;
  },
  prompt({ input }) {
    const given: unknown = JSON.parse(input);
    return typeof given === 'string' ? given : given === null ? '' : input;
  },
};

function has(row: StateOfRun, is: (service: OpenService) => boolean): boolean {
  return !row.ended && flowContextOf(row).open.some(is);
}
