import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { replay } from '../../engine/log.ts';
import type { EngineEvent, MachineHost } from '../../engine/machine.ts';
import { defaultTenant } from '../../protocol/access.ts';
import { DetentError } from '../../protocol/error.ts';
import type { JsonValue } from '../../protocol/json.ts';
import { compose } from '../../runtime/compose.ts';
import type { Core, DetentOptions } from '../../runtime/config.ts';
import { startWorkflow } from '../../runtime/requests.ts';
import type { RunRow, TimerRow } from '../../store/rows.ts';
import { type FlowContext, flowContextOf, type OpenService } from '../../store/stored-run.ts';
import type { Workflow } from '../../workflow/workflow.ts';
import type { Happening, ServiceFailure } from './happening.ts';
import { type Standing, standingOf } from './standing.ts';

const tenant = defaultTenant;

/** Runs of one workflow in an engine of their own, in memory. None of its services and actions is performed: the caller answers for them. */
export class DurableRuns {
  readonly #core: Core;
  readonly #options: DetentOptions;
  readonly #folder: string;
  readonly #time: { now: number };
  #count = 0;

  private constructor(core: Core, options: DetentOptions, folder: string, time: { now: number }) {
    this.#core = core;
    this.#options = options;
    this.#folder = folder;
    this.#time = time;
  }

  static async open(workflow: Workflow): Promise<DurableRuns> {
    const folder = await mkdtemp(join(tmpdir(), 'detent-paths-'));
    const time = { now: 0 };
    // It wakes nothing: timers fire when the caller says so.
    const clock = { now: () => time.now, wakeAt: () => () => {}, hold: () => () => {} };
    const options: DetentOptions = {
      workflows: [workflow],
      store: 'in-process',
      workspace: folder,
      env: {},
      clock,
    };
    return new DurableRuns(await compose(options, { workflowHost: silent }), options, folder, time);
  }

  get now(): number {
    return this.#time.now;
  }

  /** @throws DetentError `INVALID_INPUT`. */
  async start(workflow: Workflow, input: unknown, at: number): Promise<DurableRun> {
    this.#time.now = at;
    const runId = `run_path${++this.#count}`;
    await startWorkflow(async () => this.#core, this.#options, { workflow, input, request: {}, runId });
    const run = new DurableRun(this.#core, runId, this.#time);
    await run.settleActions();
    return run;
  }

  async close(): Promise<void> {
    await this.#core.close();
    await rm(this.#folder, { recursive: true, force: true });
  }
}

/** The host of a workflow whose effects never answer. */
function silent(host: MachineHost): MachineHost {
  const effects = Object.entries(host.effects).map(([name, effect]) => [
    name,
    { ...effect, perform: () => new Promise<never>(() => {}) },
  ]);
  return { ...host, effects: Object.fromEntries(effects) };
}

/** One run, and what happens to it. */
class DurableRun {
  readonly #core: Core;
  readonly #runId: string;
  readonly #time: { now: number };

  constructor(core: Core, runId: string, time: { now: number }) {
    this.#core = core;
    this.#runId = runId;
    this.#time = time;
  }

  /** What the chart was started with, as its schema has made it. */
  async input(): Promise<JsonValue> {
    return JSON.parse((await this.#row()).input);
  }

  async standing(): Promise<Standing> {
    const row = await this.#row();
    return standingOf(row, await this.#timers(row));
  }

  /** Why it cannot happen to the run; null when it did. */
  async take(happening: Happening): Promise<string | null> {
    const refused = await this.#take(happening);
    await this.settleActions();
    return refused;
  }

  async #take(happening: Happening): Promise<string | null> {
    switch (happening.kind) {
      case 'event':
        return this.#send({ event: { ...happening.event } });
      case 'timer':
        return this.#fire(({ id }, { delayed }) => (delayed[id]?.type ?? id) === happening.type);
      case 'done':
        return this.#settle(happening.id, ({ n }) => ({
          type: 'service.done',
          effectId: n,
          output: happening.output,
        }));
      case 'failed':
        return this.#fail(happening.id, happening.error);
    }
  }

  /** Where a retry policy begins the service again it does so once, and fails for good then. */
  async #fail(id: string, error: ServiceFailure): Promise<string | null> {
    const failed = (more: object) => (entry: OpenService) => ({
      type: 'service.failed',
      effectId: entry.n,
      error: { ...error, ...more },
    });
    const refused = await this.#settle(id, failed({}));
    const { open } = flowContextOf(await this.#row());
    const again = open.find((one) => one.id === id && one.kind === 'retry');
    if (refused !== null || !again) return refused;
    const late = await this.#fire((timer) => timer.id === `retry.${again.n}`);
    return late ?? this.#settle(id, failed({ retryable: false }));
  }

  async #settle(id: string, fact: (entry: OpenService) => EngineEvent): Promise<string | null> {
    const { open } = flowContextOf(await this.#row());
    const entry = open.find((one) => one.id === id && one.kind !== 'action');
    return entry ? this.#send({ event: fact(entry) }) : `no service "${id}" is open`;
  }

  async #fire(isIt: (timer: TimerRow, flow: FlowContext) => boolean): Promise<string | null> {
    const row = await this.#row();
    const timers = (await this.#timers(row)).sort((a, b) => a.dueAt - b.dueAt);
    const timer = timers.find((one) => isIt(one, flowContextOf(row)));
    if (!timer) return `there is no such timer; there are ${timers.map(({ id }) => id).join(', ') || 'none'}`;
    const { id, dueAt, event } = timer;
    this.#time.now = Math.max(this.#time.now, dueAt);
    return this.#send({ event: { type: event }, timer: { id, dueAt } });
  }

  /** Named actions are done as soon as they begin. */
  async settleActions(): Promise<void> {
    for (;;) {
      const action = flowContextOf(await this.#row()).open.find(({ kind }) => kind === 'action');
      if (!action) return;
      await this.#send({ event: { type: 'action.done', effectId: action.n } });
    }
  }

  /** Why its log does not lead to where it stands; null when it does. */
  async divergence(): Promise<unknown> {
    const { store, hosts } = this.#core;
    const row = await this.#row();
    const log = await store.query('listEvents', { run: row.pk, after: 0, limit: 100_000 });
    return replay(hosts, row, log).diverged;
  }

  async #send(delivery: {
    event: EngineEvent;
    timer?: { id: string; dueAt: number };
  }): Promise<string | null> {
    try {
      const { kind } = await this.#core.engine.send(tenant, this.#runId, delivery);
      return kind === 'moved' ? null : `the run says "${kind}"`;
    } catch (error) {
      // The chart does what no row can hold.
      if (DetentError.is(error) && error.code === 'MACHINE_FAULT') return error.message;
      throw error;
    }
  }

  async #row(): Promise<RunRow> {
    const row = await this.#core.store.query('loadRun', { tenant, id: this.#runId });
    if (!row) throw new Error(`run ${this.#runId} has gone`);
    return row;
  }

  #timers({ pk }: RunRow): Promise<TimerRow[]> {
    return this.#core.store.query('listTimers', { run: pk });
  }
}
