import type { RunSignal } from '../../engine/bus.ts';
import type { Followed } from '../../engine/engine.ts';
import { callForeign } from '../../engine/foreign-code.ts';
import { defaultTenant, someProgram } from '../../protocol/access.ts';
import type { OutputSchema } from '../../protocol/ports.ts';
import type { RunView } from '../../protocol/views.ts';
import type { ConfirmDecision, DecisionResult } from '../../runs/runs.ts';
import type { Core } from '../config/core.ts';
import type { DetentOptions } from '../config/detent-options.ts';
import type { RunRequest } from '../config/request.ts';

/** A handle on a run. `Output` is the type of its output schema. */
export interface RunHandle<Output = unknown> {
  /** Id of the run that takes the prompt. With mode `steer` it is known once `started` has resolved. */
  readonly runId: string;
  /** Resolves with the run's id once the run is durable. */
  readonly started: Promise<string>;
  /**
   * The run's signals from now on: `transition` (with its `seq`, from the log), `delta`, `delta.reset` (takes back the
   * deltas with this `effectId` and `attempt`), `progress`, `log`, `waits` (a sub-run waits for a person). Ends with the
   * run.
   */
  readonly events: AsyncIterable<RunSignal>;
  /**
   * Resolves when the run has ended, or when only a person can move it (`status` `waiting` or `queued`). Each access
   * waits for the next such moment, so read it again after a decision. With an output schema, `output` is what the schema
   * makes of the answer. Rejects with `INVALID_OUTPUT` if the stored answer does not fit the schema of this call: when it
   * holds a secret that was taken out, or with mode `steer` belongs to a run with another schema.
   */
  readonly result: Promise<RunView<Output>>;
  /** Cancels the run. Resolves with false if it had ended. @param reason for the log, and for people who read it */
  cancel(reason?: string): Promise<boolean>;
  /** Adds a message. The next model call gets it; tool calls that have not begun are skipped. */
  steer(message: string, extra?: Pick<RunRequest, 'attachments' | 'mayApprove'>): Promise<void>;
  /** Decides on a call that waits for a person. The first decision counts. See {@link DetentRuns.confirm}. */
  confirm(call: string, decision: ConfirmDecision): Promise<DecisionResult>;
}

/** The view with the output that a schema object makes of the stored JSON: defaults, coerced and transformed values. */
async function withTypedOutput(view: RunView, schema: OutputSchema | undefined): Promise<RunView> {
  if (schema === undefined || view.output === undefined) return view;
  const { typedOutput } = await import('../../tools/registry.ts');
  return { ...view, output: await typedOutput(schema, view.output, view.runId) };
}

/** Makes handles on runs, and keeps the listeners of runs. */
export interface RunHandles {
  /**
   * @param started resolves with the id of the run that took the prompt: `runId`, or the run that was steered
   * @param output the schema object whose type the result's output has
   */
  handle(tenant: number, runId: string, started: Promise<string>, output?: OutputSchema): RunHandle;
  steer(
    tenant: number,
    runId: string,
    message: string,
    extra?: Pick<RunRequest, 'attachments' | 'idempotencyKey' | 'requestId' | 'mayApprove'>,
  ): Promise<void>;
  /** Ends the signals when this Detent closes, or when the reader leaves. */
  stoppable<T extends Pick<Followed, 'stop'>>(followed: T): { followed: T; leave(): void };
  /** Calls `listener` for every signal of one run. Returns the unsubscribe function. */
  on(runId: string, listener: (signal: RunSignal) => void, tenantId?: number): () => void;
  /** Removes all listeners. */
  stop(): void;
}

/**
 * @param core opens the parts on first use.
 *
 * @internal
 */
export function createRunHandles(
  core: () => Promise<Pick<Core, 'bus' | 'follow' | 'runs'>>,
  options: Pick<DetentOptions, 'actor' | 'onError'>,
  steer: RunHandles['steer'],
): RunHandles {
  const stops = new Set<() => void>();
  const { actor = someProgram } = options;

  /** Reports an error that a listener throws, and keeps it away from the engine. */
  const guarded = (listener: (signal: RunSignal) => void) => (signal: RunSignal) => {
    const report = options.onError ?? console.error;
    try {
      callForeign('a listener', () => listener(signal), { runId: signal.runId, report });
    } catch (error) {
      report(error, signal.runId);
    }
  };

  const stoppable: RunHandles['stoppable'] = (followed) => {
    stops.add(followed.stop);
    const leave = () => {
      stops.delete(followed.stop);
      followed.stop();
    };
    return { followed, leave };
  };

  /** Listens before the run exists, so that no signal is lost. If another run took the prompt, listens to that one. */
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
    handle(tenant, runId, started, output) {
      // If the caller does not read `started`, its rejection must not crash the process.
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
          return known.then(async (actual) =>
            withTypedOutput(await (await core()).runs.settled(tenant, actual), output),
          );
        },
        cancel: async (reason) => (await core()).runs.cancel(tenant, await known, reason, actor),
        steer: async (message, extra) => steer(tenant, await known, message, extra),
        confirm: async (call, decision) => (await core()).runs.confirm(tenant, await known, call, decision),
      };
    },
    steer,
    stoppable,
    on(runId, listener, tenant = defaultTenant) {
      let stop = () => {};
      let isWanted = true;
      core().then(
        ({ bus }) => {
          if (!isWanted) return;
          const stops = [bus.listen(runId, guarded(listener)), bus.attend(tenant, runId).leave];
          stop = () => stops.forEach((end) => void end());
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
