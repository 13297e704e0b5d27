import type { RunSignal } from '../../engine/bus.ts';
import type { Followed } from '../../engine/follow.ts';
import type { RunView } from '../../protocol/run-view.ts';
import type { ConfirmDecision, DecisionResult } from '../../runs/decisions/decisions.ts';
import type { DetentOptions } from '../config/options.ts';
import type { RunRequest } from '../config/request.ts';
import type { Core } from '../core.ts';

/** A run that was asked for. */
export interface RunHandle {
  /** Of the run that takes the prompt; with mode `steer` known once `started` has resolved. */
  readonly runId: string;
  /** Resolves with the run's id once it is stored: from then on nothing loses it. */
  readonly started: Promise<string>;
  /**
   * Everything that happens from now on: `transition` (each with its `seq`, from the log), `delta`, `progress`, `log`,
   * `waits` (a sub-run asks a person). Ends with the run.
   */
  readonly events: AsyncIterable<RunSignal>;
  /**
   * Resolves when the run has ended, or when only a person can move it (`status` `waiting` or `queued`). Ask again after
   * a decision: each access waits for the next such moment.
   */
  readonly result: Promise<RunView>;
  cancel(reason?: string): Promise<boolean>;
  /** Adds a message: it is heard at the next model call, and calls that have not begun are skipped. */
  steer(message: string, extra?: Pick<RunRequest, 'attachments'>): Promise<void>;
  confirm(call: string, decision: ConfirmDecision): Promise<DecisionResult>;
}

/** Handles on runs, and who listens to runs. */
export interface RunHandles {
  /** @param started resolves with the id of the run that took the prompt, `runId` unless another was steered. */
  handle(tenant: number, runId: string, started: Promise<string>): RunHandle;
  steer(
    tenant: number,
    runId: string,
    message: string,
    extra?: Pick<RunRequest, 'attachments'>,
  ): Promise<void>;
  /** Hears every signal of one run; answers how to stop. */
  on(runId: string, listener: (signal: RunSignal) => void): () => void;
  /** Ends all listening. */
  stop(): void;
}

/** @param core opens what is not open yet. */
export function createRunHandles(core: () => Promise<Core>, options: DetentOptions): RunHandles {
  const stops = new Set<() => void>();

  const steer: RunHandles['steer'] = async (tenant, runId, message, extra) =>
    (await import('./steer-run.ts')).steerRun(await core(), options, { tenant, runId, message, ...extra });

  /** An error in a listener is reported to its owner and never reaches the engine. */
  const guarded = (listener: (signal: RunSignal) => void) => (signal: RunSignal) => {
    try {
      listener(signal);
    } catch (error) {
      (options.onError ?? console.error)(error, signal.runId);
    }
  };

  /** Ends with this Detent, unless its reader ends it before. */
  const stoppable = (followed: Followed) => {
    stops.add(followed.stop);
    const leave = () => {
      stops.delete(followed.stop);
      followed.stop();
    };
    return { followed, leave };
  };

  /** Listens before the run exists, so that no signal of it is lost; then to the run that took the prompt, if that is another. */
  const signalsOf = (tenant: number, asked: string, known: Promise<string>): AsyncIterable<RunSignal> => {
    const listen = async () => {
      const { follow } = await core();
      const own = (runId: string) => stoppable(follow(tenant, runId));
      const first = own(asked);
      try {
        if ((await known) === asked) return first;
      } catch (error) {
        first.leave();
        throw error;
      }
      first.leave();
      return own(await known);
    };
    const signals = listen();
    signals.catch(() => {});
    return {
      async *[Symbol.asyncIterator]() {
        const { followed, leave } = await signals;
        try {
          yield* followed;
        } finally {
          leave();
        }
      },
    };
  };

  return {
    handle(tenant, runId, started) {
      // A caller that does not ask for `started` must not crash by its failure.
      started.catch(() => {});
      let id = runId;
      const known = started.then((actual) => {
        id = actual;
        return actual;
      });
      known.catch(() => {});
      return {
        get runId() {
          return id;
        },
        started,
        get events() {
          return signalsOf(tenant, runId, known);
        },
        get result() {
          return known.then(async (actual) => (await core()).runs.settled(tenant, actual));
        },
        cancel: async (reason) => (await core()).runs.cancel(tenant, await known, reason),
        steer: async (message, extra) => steer(tenant, await known, message, extra),
        confirm: async (call, decision) => (await core()).runs.confirm(tenant, await known, call, decision),
      };
    },
    steer,
    on(runId, listener) {
      let stop = () => {};
      let isWanted = true;
      core().then(
        ({ bus }) => {
          if (isWanted) stop = bus.listen(runId, guarded(listener));
        },
        () => {},
      );
      const leave = () => {
        isWanted = false;
        stop();
        stops.delete(leave);
      };
      stops.add(leave);
      return leave;
    },
    stop() {
      for (const stop of [...stops]) stop();
    },
  };
}
