import { onTestFinished } from 'vitest';
import { createEmbeddedBus, type Hints, noHints } from '../../src/engine/bus.ts';
import { Exists } from '../../src/engine/commit/create.ts';
import { ParentLeft } from '../../src/engine/commit/links.ts';
import { type Dispatcher, Engine } from '../../src/engine/engine.ts';
import type { EffectJob, EngineEvent, Fact, MachineHost } from '../../src/engine/machine/machine-host.ts';
import { createMachineHosts } from '../../src/engine/machine/machine-hosts.ts';
import { PureMachine } from '../../src/engine/machine/pure-machine.ts';
import type { Ownership } from '../../src/engine/ownership.ts';
import { RunCommands } from '../../src/runs/commands/commands.ts';
import { cancelChildren } from '../../src/runs/decisions/links.ts';
import { Watch } from '../../src/runs/decisions/watch.ts';
import type { RunRow, TakeableRun } from '../../src/store/rows.ts';
import type { Store } from '../../src/store/store.ts';
import { subRunId, subRunSession } from '../../src/store/stored-run.ts';
import { fakeClock } from '../../src/testing/fake-clock.ts';
import { until } from '../engine/print-shop.ts';
import { waitingFor } from '../store/rows.ts';
import { loadEffects, loadRun } from '../support/run-rows.ts';
import { soleOwnership } from '../support/sole-ownership.ts';
import { type ErrandContext, errandMachine } from './errand-machine.ts';

const tenant = 1;

export interface ErrandOptions {
  store: Store;
  ownership?: Ownership;
  hints?: Hints;
  dispatcher?: Dispatcher;
  /** It looks at what others write, as processes do that share a database. */
  isWatching?: boolean;
  /** The test kills it: it cannot be stopped in order. */
  isKilled?: boolean;
  /** Letters are delivered only when the test says so: between two of its commits a process may die. */
  isSlow?: boolean;
  whyRefused?: (row: TakeableRun) => Error | null;
  host?: (host: MachineHost) => MachineHost;
  /** Is called when an effect that begins a run has begun it, before its fact is committed. */
  began?: (job: EffectJob) => Promise<void>;
  /** Is called before an effect begins a run. */
  beginning?: (job: EffectJob) => Promise<void>;
}

/** A process that drives errands, with what they walk for in the test's hands. */
export class Errands {
  readonly store: Store;
  readonly engine: Engine;
  readonly commands: RunCommands;
  readonly host: MachineHost;
  readonly bus = createEmbeddedBus();
  readonly reports: { error: unknown; runId: string }[] = [];
  /** Runs that effects have begun, or found, in order. */
  readonly begun: string[] = [];
  readonly #options: ErrandOptions;
  readonly #walks = new Map<string, (answer: string) => void>();
  readonly #watch: Watch | null;
  #isDead = false;

  constructor(options: ErrandOptions) {
    this.#options = options;
    this.store = options.store;
    const host = this.#host();
    this.host = options.host?.(host) ?? host;
    const report = (error: unknown, runId: string) => void this.reports.push({ error, runId });
    const redact = (text: string) => text;
    this.engine = new Engine({
      store: this.store,
      hosts: createMachineHosts([this.host]),
      clock: fakeClock(),
      bus: this.bus,
      ownership: options.ownership ?? soleOwnership(this.store),
      redact,
      report,
      ...(options.dispatcher && { dispatcher: options.dispatcher }),
      ...(options.whyRefused && { whyRefused: options.whyRefused }),
      posted: (to) => {
        if (!options.isSlow && !this.#isDead) this.commands.posted(to);
      },
    });
    this.commands = new RunCommands({
      engine: this.engine,
      store: this.store,
      toolbox: { find: () => undefined } as never,
      partsOf: () => Promise.reject(new Error('errands have no tools')),
      actor: 'program',
      clock: fakeClock(),
      fourEyes: () => false,
      hints: options.hints ?? noHints,
      bus: this.bus,
      redact,
      report,
    });
    const { store, engine, bus, commands } = this;
    const deliver = () => commands.deliver();
    const parts = { store, engine, bus, hints: options.hints ?? noHints, deliver, report };
    this.#watch = options.isWatching ? new Watch({ ...parts, changed() {} }) : null;
    if (!options.isKilled) onTestFinished(() => this.stop());
  }

  /** Does nothing more, as a killed process: nothing is tidied up. */
  async die(): Promise<void> {
    this.#isDead = true;
    await this.#watch?.stop();
  }

  async stop(): Promise<void> {
    await this.engine.stop();
    await this.commands.stop();
    await this.#watch?.stop();
  }

  /** Resumes all, as a process does when it starts. */
  async resume(): Promise<void> {
    await this.engine.drive('all');
    await this.commands.deliver();
  }

  async start(id: string, passes: number, options: object = {}): Promise<RunRow> {
    const { row } = await this.engine.create({
      tenant,
      id,
      sessionKey: id,
      input: { passes },
      options: { machine: 'errand', ...options },
      *writes() {},
    });
    return row;
  }

  send(id: string, event: EngineEvent) {
    return this.engine.send(tenant, id, { event });
  }

  /** Ends the walk of a run. */
  async answer(id: string, answer: string): Promise<void> {
    await until(() => this.#walks.has(id), `${id} to walk`);
    this.#walks.get(id)?.(answer);
    await this.reaches(id, 'done');
  }

  row(id: string): Promise<RunRow> {
    return loadRun(this.store, id);
  }

  async state(id: string): Promise<string> {
    return JSON.parse((await this.row(id)).state);
  }

  async reaches(id: string, state: string): Promise<void> {
    const is = async () => {
      const row = await this.store.query('loadRun', { tenant, id });
      return row && JSON.parse(row.state) === state;
    };
    await until(is, `${id} to be ${state}`);
  }

  effects(id: string): Promise<string[]> {
    return loadEffects(this.store, id);
  }

  /** Waits until a run waits for the end of the one that it has begun. */
  async rests(id: string, effect = '1 linked 1'): Promise<void> {
    const is = async () => (await this.effects(id)).includes(effect);
    await until(is, `${id} to wait`);
  }

  async events(id: string): Promise<string[]> {
    const { pk: run } = await this.row(id);
    return (await this.store.query('listEvents', { run, after: 0, limit: 100 })).map(({ type }) => type);
  }

  /** The commands to a run that wait. */
  async letters(id: string): Promise<string[]> {
    const { pk: run } = await this.row(id);
    return (await waitingFor(this.store, run)).map(({ kind }) => kind);
  }

  async answerOf(id: string): Promise<unknown> {
    return JSON.parse((await this.row(id)).output ?? 'null');
  }

  async #begin(job: EffectJob): Promise<Fact> {
    const { run, effectId, params } = job;
    const id = subRunId(run.id, effectId);
    await this.#options.beginning?.(job);
    try {
      await this.engine.create({
        tenant,
        id,
        sessionKey: subRunSession(id),
        input: { passes: params.passes },
        options: { machine: 'errand', parentRunId: run.id, parentCall: `c${effectId}`, linked: true },
        isRepeatable: true,
        *writes() {},
      });
    } catch (error) {
      if (error instanceof ParentLeft) return { event: { type: 'service.failed', effectId, error: {} } };
      if (!(error instanceof Exists)) throw error;
      if (error.row.ended) return factOf(effectId, error.row);
      await this.engine.adopt(error.row.session);
    }
    this.begun.push(id);
    await this.#options.began?.(job);
    return { event: { type: 'service.began', effectId }, settleAs: 'linked' };
  }

  #walk({ run, effectId }: EffectJob): Promise<Fact> {
    return new Promise((resolve) => {
      const end = (answer: string) => resolve({ event: { type: 'service.done', effectId, answer } });
      this.#walks.set(run.id, end);
    });
  }

  #host(): MachineHost {
    const failed = (effectId: number, error: unknown): Fact => {
      const { code = 'INTERNAL' } = error as { code?: string };
      return { event: { type: 'service.failed', effectId, error: { code } } };
    };
    return {
      id: 'errand',
      version: 1,
      machine: new PureMachine(errandMachine),
      awaited: (context) => [(context as ErrandContext).awaiting ?? []].flat(),
      commands: new Set(['run.cancel', 'errand.leave']),
      startEvent: 'errand.start',
      heldEffect: 'none',
      resumed: (lastAt) => ({ type: 'run.resumed', lastAt }),
      poisoned: (effectId) => ({ type: 'effect.poisoned', effectId }),
      faulted: (code, message) => ({ type: 'run.faulted', code, message }),
      possibleCommands: () => [{ type: 'run.cancel' }],
      newCache: () => null,
      effects: {
        'effect.run': { recover: () => 'perform', perform: (job) => this.#begin(job), failed },
        'effect.walk': { recover: () => 'perform', perform: (job) => this.#walk(job), failed },
      },
      rows: {},
      aborting: cancelChildren,
      childEnded: async (_parent, { n }, child) => factOf(n, child),
      isParked: (snapshot) =>
        snapshot.matches('queued') ||
        (snapshot.matches('passedOn') && (snapshot.context as ErrandContext).hasBegun),
    };
  }
}

/** What a run that has ended means to the effect that began it. */
function factOf(effectId: number, { state, output }: RunRow): Fact {
  if (state !== '"done"')
    return { event: { type: 'service.failed', effectId, error: { code: 'CHILD_FAILED' } } };
  return { event: { type: 'service.done', effectId, ...JSON.parse(output ?? '{}') } };
}
