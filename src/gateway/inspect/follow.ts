import type { Detent } from '../../index.ts';
import { type Caller, reachOf } from '../../protocol/access.ts';
import { unfinishedStatuses } from '../../protocol/enums.ts';
import { DetentError } from '../../protocol/error.ts';
import { closeCodes } from '../../protocol/frames.ts';
import { ofCaller } from '../feeds/sight.ts';
import { failureOf } from '../socket/failure.ts';
import type { NewRuns } from './new-runs.ts';
import type { InspectSocket } from './socket.ts';

interface FollowParts {
  detent: Detent;
  caller: Caller;
  newRuns: NewRuns;
  /** Runs that one socket follows at once. */
  maxRuns: number;
  report(error: unknown): void;
}

/** WebSocket's own codes for an end that is no failure, and for a failure of the server. */
const ended = 1000;
const failed = 1011;

/** Sends one run with its sub-runs, from its first transition on, and closes the socket behind its end. */
export async function followOne(socket: InspectSocket, parts: FollowParts, runId: string): Promise<void> {
  const { detent, caller, report } = parts;
  // Sub-runs may be of agents that do not exist for the caller.
  const how = { withSubRuns: reachOf(caller) === undefined, tenantId: caller.tenantId };
  try {
    const messages = detent.runs.inspect(runId, how);
    for await (const message of untilGone(socket, messages)) if (!(await socket.deliver(message))) return;
    socket.close(ended, 'the run has ended');
  } catch (error) {
    if (DetentError.is(error) && error.code === 'CLOSED')
      return socket.close(closeCodes.goingAway, 'the gateway stops');
    const { code, message } = failureOf(error, report, caller).error;
    socket.close(failed, `${code}: ${message}`);
  }
}

/**
 * Sends all runs of the caller: the current state of runs that have not ended, new runs from their first transition on,
 * and later transitions of both.
 */
export async function followAll(socket: InspectSocket, parts: FollowParts): Promise<void> {
  const { detent, caller, newRuns, maxRuns, report } = parts;
  /** The runs that are followed, the one that was quiet for longest first. */
  const followed = new Map<string, AbortController>();

  const follow = async (runId: string, from: 'start' | 'now') => {
    if (followed.has(runId)) return;
    const [[quietest, stop] = []] = followed;
    if (followed.size >= maxRuns && quietest !== undefined) {
      stop?.abort();
      followed.delete(quietest);
    }
    const left = new AbortController();
    followed.set(runId, left);
    try {
      const messages = detent.runs.inspect(runId, { from, withSubRuns: false, tenantId: caller.tenantId });
      for await (const message of untilGone(socket, messages, left.signal)) {
        if (!(await socket.deliver(message))) return;
        if (followed.get(runId) === left) {
          followed.delete(runId);
          followed.set(runId, left);
        }
      }
    } catch (error) {
      // A run that cannot be read must not stop the others.
      if (!DetentError.is(error)) report(error);
    } finally {
      if (followed.get(runId) === left) followed.delete(runId);
    }
  };

  const news = newRuns.listen(ofCaller(caller), (runs) => {
    for (const { runId } of runs) void follow(runId, 'start');
  });
  socket.gone.addEventListener('abort', news.stop, { once: true });
  try {
    await news.ready;
    const open = await detent.runs.list({
      ...ofCaller(caller),
      status: unfinishedStatuses,
      limit: maxRuns,
    });
    for (const { runId } of open.reverse()) void follow(runId, 'now');
  } catch (error) {
    const { code, message } = failureOf(error, report, caller).error;
    socket.close(failed, `${code}: ${message}`);
  }
}

/** The values of an iteration until the client disconnects or `left` aborts. */
async function* untilGone<T>(
  socket: InspectSocket,
  all: AsyncIterable<T>,
  left?: AbortSignal,
): AsyncGenerator<T> {
  const iterator = all[Symbol.asyncIterator]();
  const stop = () => void iterator.return?.().catch(() => {});
  const signals = left ? [socket.gone, left] : [socket.gone];
  for (const signal of signals) signal.addEventListener('abort', stop, { once: true });
  try {
    while (!signals.some(({ aborted }) => aborted)) {
      const { done, value } = await iterator.next();
      if (done) return;
      yield value;
    }
  } finally {
    for (const signal of signals) signal.removeEventListener('abort', stop);
    stop();
  }
}
