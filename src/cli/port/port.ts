import type { Method } from '../../client/index.ts';
import type { LocalMethod } from '../../gateway/local.ts';
import type { Detent, RunHandle, RunRequest, RunSignal, RunView, WorkflowRequest } from '../../index.ts';
import type { CheckedInput, MethodOutput } from '../../protocol/methods.ts';

/** Asks a method of the gateway's interface, of a gateway or of a Detent in this process. */
export type Ask = <M extends LocalMethod & Method>(
  method: M,
  input: CheckedInput<M>,
) => Promise<MethodOutput<M>>;

/** What the command line asks: of a Detent in its process, or of a gateway. */
export interface Port {
  ask: Ask;
  /** `run.get` without the commands that are legal now: those cost the statechart of the run. */
  show(runId: string): Promise<RunView>;
  run(prompt: string, request: RunRequest): RunHandle;
  startWorkflow(
    id: string,
    input: unknown,
    request: Pick<WorkflowRequest, 'idempotencyKey' | 'isLeft'>,
  ): RunHandle;
  /** A handle on an existing run. */
  attach(runId: string): RunHandle;
  /** Calls `listener` for every signal of the run. Returns what stops that. */
  on(runId: string, listener: (signal: RunSignal) => void): () => void;
  /** Goes on with the unfinished runs of a session. Returns the ids of all that go on. */
  resume(
    scope: { runId: string } | { sessionId: string },
    address?: Pick<RunRequest, 'model' | 'baseUrl' | 'apiKeyEnv' | 'api'>,
  ): Promise<string[]>;
  /** A request that goes on with a session, with the agent and the model that it used last, unless it names them. */
  continuing(sessionId: string, request: RunRequest): Promise<RunRequest>;
  /** The Detent of this process, for what no gateway does. @throws DetentError `NOT_OVER_GATEWAY`. */
  readonly detent: Detent;
}

/** The log of a run after a transition, page by page. */
export async function* readLog(
  ask: Ask,
  runId: string,
  afterSeq = 0,
): AsyncGenerator<MethodOutput<'run.log'>['transitions'][number]> {
  for (let next: number | undefined = afterSeq; next !== undefined; ) {
    const page: MethodOutput<'run.log'> = await ask('run.log', { runId, afterSeq: next });
    yield* page.transitions;
    next = page.nextAfterSeq;
  }
}
