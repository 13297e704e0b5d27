import type { Clock } from '../../engine/clock.ts';
import { notFound } from '../../engine/commit.ts';
import type { MachineHosts } from '../../engine/machine.ts';
import { addressFlags, addressNotNamed } from '../../models/provider-config.ts';
import { DetentError } from '../../protocol/error.ts';
import type { ModelDirectory, SkillSource } from '../../protocol/ports.ts';
import type { RunTrace, Sentence } from '../../protocol/views.ts';
import type { RunRow } from '../../store/rows.ts';
import { type RunNeeds, shownModel } from '../../store/run-options.ts';
import { isTakeover, isWorkflowRun, makesCalls, optionsOf } from '../../store/stored-run.ts';
import { randomId } from '../../text/ids.ts';
import { shellWord } from '../../text/wording.ts';
import type { IsDriven } from '../rows/run-status.ts';
import type { Store } from '../rows/statements.ts';
import { diffRuns, type RunDiff } from './diff.ts';
import { type LoggedEvent, readEvents } from './events.ts';
import { endpointFor, type Forked, type ForkRequest, forkAt } from './fork.ts';
import { type Place, reading } from './load-at.ts';
import { momentOf, type RunMoment } from './moment.ts';
import { type ForkPreview, previewFork } from './preview.ts';
import { type PromptParts, promptAt, type RunPrompt } from './prompt-at.ts';
import { type RunReplay, replayRun } from './replay-run.ts';
import type { TracePlace } from './trace/trace.ts';
import { Traces } from './trace/traces.ts';
import { explainRun, type Why } from './why/why.ts';

interface HistoryOptions {
  store: Store;
  hosts: MachineHosts;
  models: ModelDirectory;
  /** @throws DetentError when a tenant cannot work in this process. */
  tenants: { of(tenant: number): Promise<{ skills: Pick<SkillSource, 'invoke'> }> };
  needs: {
    /** What a run of a tenant that may use these tools needs of this program; null for nothing. */
    of(allowed: readonly string[] | null, tenant: number): RunNeeds | null;
    /** What this program lacks of what the run needs; null if it has all. */
    missing(row: RunRow): Sentence | null;
  };
  /** Where a run was last driven, if the database was moved or copied since. */
  movedFrom(row: RunRow): { there: string; here: string } | null;
  promptOf: PromptParts['promptOf'];
  clock: Clock;
  redact(text: string): string;
  isDriven: IsDriven;
}

/** What a caller says about a fork. */
type ForkChoice = { mayAdminister?: boolean } & Pick<
  ForkRequest,
  | 'tenant'
  | 'runId'
  | 'seq'
  | 'model'
  | 'endpoint'
  | 'approve'
  | 'configured'
  | 'editMessage'
  | 'sessionId'
  | 'requestId'
>;

/** Reads, explains, compares and forks the logs of runs. Only `fork` writes; nothing here executes effects. */
export class History {
  readonly #options: HistoryOptions;
  readonly #traces: Traces;

  constructor(options: HistoryOptions) {
    this.#options = options;
    this.#traces = new Traces(options);
  }

  async *events(tenant: number, runId: string, after: number): AsyncGenerator<LoggedEvent> {
    yield* readEvents(this.#options.store, await this.#row(tenant, runId), { after });
  }

  /** @throws DetentError `NOT_FOUND`, `NO_LOG`. */
  async trace(tenant: number, runId: string, place: TracePlace): Promise<RunTrace> {
    return this.#traces.read(await this.#row(tenant, runId), place);
  }

  async why(tenant: number, runId: string): Promise<Why> {
    const { clock, needs, ...reading } = this.#options;
    return explainRun(
      { ...reading, missing: needs.missing, now: clock.now() },
      await this.#row(tenant, runId),
    );
  }

  async replay(tenant: number, runId: string): Promise<RunReplay> {
    return this.#replay(await this.#row(tenant, runId));
  }

  /** Every run of a tenant, newest first. */
  async replayAll(tenant: number): Promise<RunReplay[]> {
    const rows = await this.#options.store.query('listRuns', { tenant, limit: Number.MAX_SAFE_INTEGER });
    const replays: RunReplay[] = [];
    for (const row of rows) replays.push(await this.#replay(row));
    return replays;
  }

  /** @throws DetentError as `momentOf` does. */
  at(place: Place): Promise<RunMoment> {
    const { store, hosts, redact } = this.#options;
    return reading(store, momentOf(hosts, place, redact));
  }

  /** @throws DetentError as `promptAt` does. */
  async prompt({ seq, ...place }: Omit<Place, 'seq'> & { seq?: number }, from = 0): Promise<RunPrompt> {
    const last = seq ?? (await this.#row(place.tenant, place.runId)).seq;
    return promptAt(this.#options, { ...place, seq: last }, from);
  }

  /** @throws DetentError as `forkAt` does; `UNKNOWN_MODEL`, `MISSING_KEY` when the other model is not available. */
  async fork(request: ForkChoice): Promise<Forked> {
    const { store, hosts } = this.#options;
    return forkAt(store, hosts, await this.#forkRequest(request));
  }

  /** What {@link fork} would make. Throws what it would throw. */
  async forkPreview(request: ForkChoice): Promise<ForkPreview> {
    const { store, hosts } = this.#options;
    return reading(store, previewFork(hosts, await this.#forkRequest(request)));
  }

  async #forkRequest(request: ForkChoice): Promise<ForkRequest> {
    const { models, tenants, needs, clock, redact } = this.#options;
    const { tenant, runId, model, endpoint, editMessage } = request;
    const row = await this.#row(tenant, runId);
    if (request.mayAdminister === false && optionsOf(row).byAdmin) throw ofAdministrator(row);
    if (isWorkflowRun(row)) return this.#forkOfWorkflow(request);
    if (!makesCalls(row) && !isTakeover(row)) throw noAgentRun(row);
    const options = optionsOf(row);
    const named = model ?? shownModel(options);
    const address = endpoint ?? endpointFor(options, named);
    if (endpoint) models.nameAddress(named, endpoint, endpoint);
    if (model !== undefined && models.addressNow(named, address) === undefined) {
      const command = `detent runs fork ${runId} --at ${request.seq} --model ${shellWord(model)}`;
      throw addressNotNamed(named, address, command + addressFlags(address));
    }
    if (model !== undefined || endpoint) await models.resolve(named, address);
    const invoked = editMessage?.startsWith('/')
      ? await (await tenants.of(tenant)).skills.invoke(editMessage, options.skills ?? null)
      : null;
    const own = { needs: needs.of(options.tools, tenant), invoked, newId: randomId, redact };
    return { ...request, ...own, at: clock.now() };
  }

  /** @throws DetentError `INVALID_ARGUMENTS` for choices that workflows do not have. */
  #forkOfWorkflow(request: ForkChoice): ForkRequest {
    const { clock, redact } = this.#options;
    const { runId, model, endpoint, approve, editMessage } = request;
    if (model !== undefined || endpoint || approve !== undefined || editMessage !== undefined)
      throw new DetentError(
        'INVALID_ARGUMENTS',
        `run ${runId} is of a workflow: it has no model, no calls and no messages of its own, so a fork of it changes none; fork the run of a service instead`,
        { details: { runId } },
      );
    return { ...request, needs: null, invoked: null, newId: randomId, redact, at: clock.now() };
  }

  async diff(tenant: number, a: string, b: string): Promise<RunDiff> {
    const { store, isDriven } = this.#options;
    return diffRuns(store, isDriven, await this.#row(tenant, a), await this.#row(tenant, b));
  }

  #replay(row: RunRow): Promise<RunReplay> {
    const { store, hosts, redact } = this.#options;
    return replayRun(store, hosts, redact, row);
  }

  async #row(tenant: number, runId: string): Promise<RunRow> {
    const row = await this.#options.store.query('loadRun', { tenant, id: runId });
    if (!row) throw notFound(runId);
    return row;
  }
}

function noAgentRun({ id }: RunRow): DetentError {
  return new DetentError(
    'RUN_OF_JOB',
    `${id} is the schedule of a job, not a run of an agent: it cannot be forked; "detent cron history JOB" shows the runs that it began`,
    { details: { runId: id } },
  );
}

function ofAdministrator({ id }: RunRow): DetentError {
  return new DetentError(
    'FORBIDDEN',
    `an administrator chose the model, the instructions, the limits or the budget of run ${id}, and a fork would have them again: to fork it needs a token with the scope admin`,
    { details: { runId: id, missing: ['admin'] } },
  );
}
