import { defaultTenant } from '../../protocol/access.ts';
import type { RunEvent } from '../../protocol/run-events.ts';
import type { RunTrace } from '../../protocol/views.ts';
import type {
  Forked,
  ForkPreview,
  LoggedEvent,
  RunDiff,
  RunMoment,
  RunPrompt,
  RunReplay,
  Why,
} from '../../runs/history.ts';
import type { Core } from '../config/core.ts';
import type { DetentOptions } from '../config/detent-options.ts';
import type { ForkOptions } from '../requests/fork-request.ts';

/** Reads the logs of runs, and forks runs. Only `fork` writes, and no method executes an effect. */
export interface RunHistory {
  /** The log of a run with its messages: every transition after `afterSeq` (default: all). */
  events(runId: string, afterSeq?: number, tenantId?: number): Promise<LoggedEvent[]>;
  /** The same events one by one: a log that does not fit into memory is read page by page. */
  readEvents(runId: string, afterSeq?: number, tenantId?: number): AsyncIterable<LoggedEvent>;
  /**
   * The same log as events for clients, after the transition `afterSeq` (default: all): those that `subscribe` has
   * delivered so far.
   */
  timeline(runId: string, afterSeq?: number, tenantId?: number): Promise<RunEvent[]>;
  /** The same events one by one. */
  readTimeline(runId: string, afterSeq?: number, tenantId?: number): AsyncIterable<RunEvent>;
  /**
   * The run as it stood after the transition `seq` (0: before its first one): state, context, conversation, open questions
   * and effects, and the commands that it accepted then. Computed from the log; only reads.
   *
   * @throws DetentError `NOT_FOUND`, `SEQ_OUT_OF_RANGE`, `NO_LOG`, `MIGRATION_NEEDED`, `REPLAY_DIVERGED`.
   */
  at(runId: string, seq: number, tenantId?: number): Promise<RunMoment>;
  /**
   * What a model was sent: the system prompt, the messages and the tools of the newest call that the run had asked for by the
   * transition `seq` (default: its last one). Rebuilt from the log with the tools, skills and models of this program; calls
   * nothing. `tokensThen` is the estimated size that was stored then: if `tokens` differs, the program has changed since.
   *
   * @param place.from the first message or tool of the page: the `nextFrom` of the page before. Default: 0
   * @throws DetentError `NOT_FOUND`, `SEQ_OUT_OF_RANGE`, `NO_LOG`, `NO_PROMPT`.
   */
  prompt(runId: string, place?: { seq?: number; from?: number }, tenantId?: number): Promise<RunPrompt>;
  /**
   * What the machine did at each transition: the edges that it took, the guards that it asked and their answers, and
   * how its context changed; and when each effect was at work. For agents' runs and those of jobs. Computed from the
   * log; only reads. For a running run, the next call continues where the last one ended.
   *
   * @param place.afterSeq the transitions after this one; default: all
   * @param place.limit maximum number of transitions; default: 1,000. The answer has fewer if they are large
   * @throws DetentError `NOT_FOUND`, `NO_LOG` for an imported run.
   */
  trace(runId: string, place?: { afterSeq?: number; limit?: number }, tenantId?: number): Promise<RunTrace>;
  /**
   * Explains the state of a run: the cause in plain words, the chain of transitions that led there with every guard
   * that was evaluated, and what to do next.
   */
  why(runId: string, tenantId?: number): Promise<Why>;
  /**
   * Folds the log of a run through its statechart, and compares state, context, messages and the run's row. `diverged`
   * is the first difference.
   */
  replay(runId: string, tenantId?: number): Promise<RunReplay>;
  /** Replays every run, newest first. */
  replayAll(tenantId?: number): Promise<RunReplay[]>;
  /**
   * Creates a run in a new session, in the state of this run after the transition `at`. The original stays as it is.
   * The fork does not move before `resume`; `open` lists the effects that would then start.
   *
   * @throws DetentError `NOT_FOUND`, `SEQ_OUT_OF_RANGE`, `MIGRATION_NEEDED`, `REPLAY_DIVERGED`, `SESSION_BUSY`,
   * `SESSION_EXISTS`, `INVALID_SESSION`, `NO_MESSAGE`, `UNKNOWN_MODEL`, `MISSING_KEY`, `EMPTY_PROMPT`, `PROMPT_TOO_LARGE`,
   * `INVALID_ARGUMENTS`.
   */
  fork(runId: string, options: ForkOptions, tenantId?: number): Promise<Forked>;
  /**
   * What a fork with these options would be, without making it: its state, its messages, and the effects that would start,
   * each with whether a repeat changes anything in the world. Throws what `fork` would throw.
   */
  forkPreview(runId: string, options: ForkOptions, tenantId?: number): Promise<ForkPreview>;
  /** Where two runs diverge, and how each ended. */
  diff(a: string, b: string, tenantId?: number): Promise<RunDiff>;
}

/**
 * @param core opens the parts on first use.
 *
 * @internal
 */
export function historyApi(
  core: () => Promise<Core>,
  config: Pick<DetentOptions, 'limits' | 'policy' | 'actor'>,
): RunHistory {
  const history = async () => (await core()).history();
  const forkRequest = async (runId: string, options: ForkOptions, tenant: number) => {
    const { checkFork } = await import('../requests/fork-request.ts');
    return { tenant, runId, ...checkFork(options, config) };
  };
  async function* readEvents(runId: string, afterSeq = 0, tenant = defaultTenant) {
    yield* (await history()).events(tenant, runId, afterSeq);
  }
  async function* readTimeline(runId: string, afterSeq = 0, tenant = defaultTenant) {
    const { readRunEvents } = await import('../../runs/views.ts');
    yield* readRunEvents((await core()).store, tenant, runId, afterSeq);
  }
  return {
    events: async (...place) => Array.fromAsync(readEvents(...place)),
    readEvents,
    timeline: async (...place) => Array.fromAsync(readTimeline(...place)),
    readTimeline,
    async trace(runId, { afterSeq = 0, limit = 1_000 } = {}, tenant = defaultTenant) {
      const trace = await (await history()).trace(tenant, runId, { afterSeq, limit });
      return { ...trace, machine: { ...trace.machine, hash: await hashOf(core, trace.machine) } };
    },
    why: async (runId, tenant = defaultTenant) => (await history()).why(tenant, runId),
    replay: async (runId, tenant = defaultTenant) => (await history()).replay(tenant, runId),
    replayAll: async (tenant = defaultTenant) => (await history()).replayAll(tenant),
    prompt: async (runId, { from, ...place } = {}, tenant = defaultTenant) =>
      (await history()).prompt({ ...place, tenant, runId }, from),
    at: async (runId, seq, tenant = defaultTenant) => (await history()).at({ tenant, runId, seq }),
    fork: async (runId, options, tenant = defaultTenant) =>
      (await history()).fork(await forkRequest(runId, options, tenant)),
    forkPreview: async (runId, options, tenant = defaultTenant) =>
      (await history()).forkPreview(await forkRequest(runId, options, tenant)),
    diff: async (a, b, tenant = defaultTenant) => (await history()).diff(tenant, a, b),
  };
}

/** The hash of the definition that `machine.layout` draws; null for a machine that this program lacks. */
async function hashOf(
  core: () => Promise<Core>,
  { name, version, known }: RunTrace['machine'],
): Promise<string | null> {
  const host = known ? (await core()).hosts.find(name, version) : undefined;
  if (!host) return null;
  const { definitionOf } = await import('../chart/definition.ts');
  return definitionOf(name, version, host.machine.definition).hash;
}
