import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import type { RunSignal } from '../../src/engine/bus.ts';
import { createEmbeddedBus, type EventBus } from '../../src/engine/bus.ts';
import { Engine } from '../../src/engine/engine.ts';
import type { EffectJob, Fact, MachineHost } from '../../src/engine/machine/machine-host.ts';
import { createMachineHosts } from '../../src/engine/machine/machine-hosts.ts';
import { PureMachine } from '../../src/engine/machine/pure-machine.ts';
import type { SoleOwnership } from '../../src/engine/ownership.ts';
import { order } from '../../src/store/program.ts';
import type { EffectRow, RunRow } from '../../src/store/rows.ts';
import { openInMemory } from '../../src/store/sql/in-memory.ts';
import { openSqlite } from '../../src/store/sql/sqlite.ts';
import type { Store } from '../../src/store/store.ts';
import { type FakeClock, fakeClock } from '../../src/testing/fake-clock.ts';
import { loadEffects, loadRun } from '../support/run-rows.ts';
import { soleOwnership } from '../support/sole-ownership.ts';
import { type PrintContext, printMachine } from './print-machine.ts';

export const tenant = 1;

/** The store of a process: the engine's tests need no other, because every store keeps the same contract (`test/store`). */
export async function onDisk(): Promise<Store> {
  const folder = await mkdtemp(join(tmpdir(), 'detent-engine-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  return openSqlite({ file: join(folder, 'detent.db'), synchronous: 'NORMAL' });
}

export const inMemory = async () => openInMemory();

/** An effect that is being performed, and how to end it. */
export interface Sheet {
  job: EffectJob;
  done(): void;
  jam(): void;
  crash(error: unknown): void;
}

export interface ShopOptions {
  store: Store;
  clock?: FakeClock;
  bus?: EventBus;
  /** What to do with a page whose driver died; default performs it again. */
  recover?: (effect: EffectRow) => 'perform' | 'uncertain';
  /** Effects end by themselves at once. */
  quick?: boolean;
  redact?: (text: string) => string;
  /** Several are versions of the machine, the newest first. */
  host?: (host: MachineHost) => MachineHost | MachineHost[];
  report?: (error: unknown, runId: string) => void;
}

/** An engine that drives printing jobs, with its effects in the test's hands. */
export class Shop {
  readonly store: Store;
  readonly clock: FakeClock;
  readonly bus: EventBus;
  readonly engine: Engine;
  readonly ownership: SoleOwnership;
  readonly host: MachineHost;
  /** What was performed: `run:effect`, in order. */
  readonly performed: string[] = [];
  readonly sheets = new Map<string, Sheet>();
  readonly reports: { error: unknown; runId: string }[] = [];

  constructor(options: ShopOptions) {
    this.store = options.store;
    this.clock = options.clock ?? fakeClock();
    this.bus = options.bus ?? createEmbeddedBus();
    const host = printHost(
      (job) => this.#print(job, options.quick ?? false),
      options.recover ?? (() => 'perform'),
    );
    const hosts = [options.host?.(host) ?? host].flat();
    this.host = hosts[0] ?? host;
    this.ownership = soleOwnership(this.store);
    this.engine = new Engine({
      store: this.store,
      hosts: createMachineHosts(hosts),
      clock: this.clock,
      bus: this.bus,
      ownership: this.ownership,
      redact: options.redact ?? ((text) => text),
      report: options.report ?? ((error, runId) => void this.reports.push({ error, runId })),
    });
    onTestFinished(() => this.engine.stop());
  }

  #print(job: EffectJob, quick: boolean): Promise<Fact> {
    const name = `${job.run.id}:${job.effectId}`;
    this.performed.push(name);
    const { effectId } = job;
    if (quick) return Promise.resolve({ event: { type: 'print.done', effectId } });
    return new Promise<Fact>((resolve, reject) => {
      const end = (fact: Fact) => {
        this.sheets.delete(name);
        resolve(fact);
      };
      this.sheets.set(name, {
        job,
        done: () => end({ event: { type: 'print.done', effectId } }),
        jam: () => end({ event: { type: 'print.jam', effectId } }),
        crash: reject,
      });
    });
  }

  async create(
    id: string,
    { sessionId: session = id, pages = 1 }: { sessionId?: string; pages?: number } = {},
  ): Promise<RunRow> {
    const { row } = await this.engine.create({
      tenant,
      id,
      sessionKey: session,
      input: { pages },
      options: { machine: 'print' },
      *writes() {},
    });
    return row;
  }

  send(id: string, type: string, rest: object = {}) {
    return this.engine.send(tenant, id, { event: { type, ...rest } });
  }

  row(id: string): Promise<RunRow> {
    return loadRun(this.store, id);
  }

  async state(id: string): Promise<string> {
    return JSON.parse((await this.row(id)).state);
  }

  async context(id: string): Promise<PrintContext> {
    return JSON.parse((await this.row(id)).context);
  }

  effects(id: string): Promise<string[]> {
    return loadEffects(this.store, id);
  }

  async events(id: string): Promise<string[]> {
    const rows = await this.store.query('listEvents', {
      run: (await this.row(id)).pk,
      after: 0,
      limit: 10_000,
    });
    return rows.map(({ type }) => type);
  }

  async timers(id: string) {
    return this.store.query('listTimers', { run: (await this.row(id)).pk });
  }

  /** Takes over all that no other driver has, and returns the ids of those runs. */
  async drive(): Promise<string[]> {
    const ids: string[] = [];
    await this.engine.drive('all', async ({ id }) => void ids.push(id));
    return ids;
  }

  /** The effect once it is being performed. */
  async sheet(name: string): Promise<Sheet> {
    await until(() => this.sheets.has(name), `${name} to be performed`);
    return this.sheets.get(name) as Sheet;
  }

  async reaches(id: string, state: string): Promise<void> {
    await until(async () => (await this.state(id)) === state, `${id} to be ${state}`);
  }
}

/** Waits for something that follows by itself, without a clock. */
export async function until(holds: () => unknown, what = 'it'): Promise<void> {
  for (let turns = 0; !(await holds()); turns++) {
    if (turns > 3_000) throw new Error(`waited in vain for ${what}`);
    await new Promise((resolve) => setImmediate(resolve));
  }
}

/** Lets everything that is under way come to rest. */
export async function quiet(turns = 30): Promise<void> {
  for (let i = 0; i < turns; i++) await new Promise((resolve) => setImmediate(resolve));
}

/** All signals of a run from now on. */
export function heard(bus: EventBus, runId: string): RunSignal[] {
  const signals: RunSignal[] = [];
  bus.listen(runId, (signal) => signals.push(signal));
  return signals;
}

function printHost(
  perform: (job: EffectJob) => Promise<Fact>,
  recover: (effect: EffectRow) => 'perform' | 'uncertain',
): MachineHost {
  return {
    id: 'print',
    version: 1,
    machine: new PureMachine(printMachine),
    awaited: (context) => [(context as PrintContext).awaiting ?? []].flat(),
    commands: new Set([
      'job.cancel',
      'job.clear',
      'job.note',
      'job.say',
      'job.break',
      'job.mystery',
      'job.rush',
      'job.hold',
    ]),
    startEvent: 'job.start',
    heldEffect: 'effect.none',
    resumed: (lastAt) => ({ type: 'job.resumed', lastAt }),
    poisoned: (effectId) => ({ type: 'effect.poisoned', effectId }),
    faulted: (code, message) => ({ type: 'job.faulted', code, message }),
    possibleCommands: () => ['job.cancel', 'job.clear', 'job.note', 'job.start'].map((type) => ({ type })),
    newCache: () => ({}),
    effects: {
      'effect.print': {
        recover: (effect) => recover(effect),
        perform,
        failed: (effectId, error) => ({
          event: { type: 'print.jam', effectId, why: error instanceof Error ? error.message : String(error) },
        }),
        uncertain: (effectId) => ({ event: { type: 'print.lost', effectId } }),
      },
    },
    rows: {
      *'note.write'({ text }, { nextMessage, redact }) {
        const body = redact(JSON.stringify({ text }));
        yield* order('insertMessage', { ...nextMessage('user', body), tenant });
      },
    },
    *aborting() {},
    isParked: (snapshot) => snapshot.hasTag('waiting') || snapshot.matches('queued'),
  };
}
