import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import * as z from 'zod';
import type { OneCallInput } from '../../machines/call.setup.ts';
import { idsIn } from '../../machines/calls.rules.ts';
import type { CallCost, RunEvent } from '../../machines/run.types.ts';
import { flushFailed } from '../../src/agent/compaction/flush.ts';
import { noCost } from '../../src/agent/model-call/failed-call.ts';
import { assembleCore } from '../../src/core/create-core.ts';
import type { EffectJob, Fact } from '../../src/engine/machine/machine-host.ts';
import type { ModelAnswer } from '../../src/protocol/content.ts';
import { defineTool } from '../../src/protocol/tool.ts';
import type { Decorators } from '../../src/runtime/compose.ts';
import type { RunOptions } from '../../src/store/run-options.ts';
import { Conductor as Leading, type Led, puppet, usageOf } from '../../src/testing/agent/conductor.ts';
import { openNodeSqlite } from '../support/node-sqlite.ts';
import { graphLimits, type PathInput } from './run-graph.ts';

const tenant = 1;

const nothingToSummarise = 'there is nothing older to summarise';

interface Happened {
  how?: string;
  cost: CallCost;
  error?: { message: string };
}

/** Leads runs of every input, with tools of their own, on SQLite on disk and real files, through all that may happen to them. */
export class Conductor extends Leading {
  protected readonly folder: string;
  /** What policy says of the next calls. */
  readonly #asks: boolean[];
  /** Flushes that are to fail, with what they have cost by then. */
  readonly #failures = new Map<string, CallCost>();
  #sessions = 0;
  #blocker = '';

  constructor() {
    const folder = mkdtempSync(join(tmpdir(), 'detent-model-based-'));
    const asks: boolean[] = [];
    super({
      workspace: folder,
      database: { synchronous: 'NORMAL' },
      env: {},
      // A thread for each crash would take most of the time, and the machine does not hear of it.
      memory: { recall: false },
      tools: {
        define: [
          tool('look', 'readonly', asks),
          tool('act', 'unsafe', asks),
          tool('forbidden', 'readonly', asks),
        ],
      },
      onError: (error) => {
        throw error;
      },
    });
    this.folder = folder;
    this.#asks = asks;
  }

  override async close(): Promise<void> {
    await super.close();
    rmSync(this.folder, { recursive: true, force: true });
  }

  /** A new run, queued behind a run at work. @param hasPast whether there is something to compact */
  async begin({ only, hasOutput }: PathInput, hasPast: boolean): Promise<void> {
    const session = `s${this.#sessions++}`;
    this.#blocker = await this.#start(session);
    // Three times in a row, also after seven answers.
    const earlier = Array.from({ length: hasPast ? 24 : 0 }, (_, i) => `earlier words ${i}`);
    // At once, so that they are one commit.
    await Promise.all(earlier.map((words) => this.core.runs.message(tenant, this.#blocker, words)));
    this.runId = await this.#start(session, { only, hasOutput });
  }

  /** The run of one call, queued behind a run at work. */
  async beginCall({ limits, call }: OneCallInput): Promise<void> {
    const sessionId = `s${this.#sessions++}`;
    this.#blocker = await this.#start(sessionId);
    this.runId = `call_${this.#sessions}`;
    this.#nextAsks(call.gate === 'refuse' ? [] : [call.gate === 'ask']);
    await this.core.runs.startCall({
      runId: this.runId,
      tenant,
      sessionId,
      limits,
      options: {
        // Nobody has a tool of that name, so it is refused.
        call: { name: call.gate === 'refuse' ? 'missing' : toolOf(call), arguments: '{}' },
        approve: 'ask',
        workspace: this.folder,
        principal: { tenantId: tenant, userId: null, claims: {} },
      },
    });
  }

  #start(sessionId: string, { only, hasOutput }: Partial<PathInput> = {}): Promise<string> {
    const options: RunOptions = {
      machine: 'run',
      model: 'puppet/puppet',
      endpoint: null,
      system: '',
      tools: ['look', 'act'],
      approve: 'ask',
      ...(hasOutput && { output: { type: 'object' } }),
      workspace: this.folder,
      principal: { tenantId: tenant, userId: null, claims: {} },
    };
    return this.core.runs.start({
      tenant,
      sessionId,
      prompt: 'go',
      mode: 'queue',
      options,
      limits: graphLimits,
      ...(only === 'compact' && { only }),
    });
  }

  /**
   * The event that was just played, as it happened: a flush that finds nothing to keep, and a compaction that finds
   * nothing older to summarise, ask no model and cost nothing.
   */
  async happened(event: RunEvent): Promise<RunEvent> {
    if (event.type !== 'flush.done' && event.type !== 'compact.failed') return event;
    const { pk, seq } = await this.row();
    const [last] = await this.core.store.query('listEvents', { run: pk, after: seq - 1, limit: 1 });
    const { how, cost, error } = JSON.parse(last?.body ?? '{}') as Happened;
    return how === 'nothing' || error?.message === nothingToSummarise ? { ...event, cost } : event;
  }

  protected override async cause(event: RunEvent): Promise<void> {
    const { engine, runs } = this.core;
    const send = (type: string, rest: object = {}) =>
      engine.send(tenant, this.runId, { event: { type, ...rest } });
    switch (event.type) {
      case 'run.start':
        await runs.cancel(tenant, this.#blocker);
        return;
      case 'run.faulted':
        await send('run.faulted', { code: event.code, message: event.message });
        return;
      case 'run.resumed':
        await send('run.resumed', { lastAt: event.lastAt });
        return;
      case 'subrun.parked':
      case 'subrun.resumed':
        await send(event.type, { callId: event.callId });
        return;
      case 'effect.poisoned':
        await engine.send(tenant, this.runId, {
          event: { type: event.type, effectId: event.effectId },
          settleAs: 'cancelled',
        });
        return;
      // When a host says these depends on its policy, which is tested with it.
      case 'model.switched':
      case 'context.pruned':
        await engine.send(tenant, this.runId, { event: { ...event } });
        return;
      case 'tool.uncertain':
        return this.crash();
      case 'model.done':
        this.#nextAsks(
          event.calls.filter((call) => call.gate !== 'refuse').map((call) => call.gate === 'ask'),
        );
        return this.perform(event.effectId, {
          finish: event.finish,
          text: event.fits ? '{}' : event.text ? 'words' : '',
          refusal: event.finish === 'refusal' ? 'no' : '',
          toolCalls: event.calls.map((call) => ({ id: '', name: toolOf(call), arguments: '{}' })),
          usage: usageOf(event.cost),
        });
      case 'flush.done':
      case 'flush.failed':
        rmSync(join(this.folder, 'memory'), { recursive: true, force: true });
        if (event.type === 'flush.failed') {
          writeFileSync(join(this.folder, 'memory'), 'a file where a folder should be');
          this.#failures.set(this.key(event.effectId), event.cost ?? noCost);
        } else mkdirSync(join(this.folder, 'memory'));
        return this.perform(event.effectId, {});
      case 'tool.asked':
        // A call that is made again after a crash may ask another question than the open one.
        if (idsIn((await this.look()).context, 'asking').includes(event.callId))
          await send(event.type, {
            callId: event.callId,
            key: 'other',
            question: { text: 'And which now?' },
          });
        else await this.lead(event.callId, 'ask');
        return;
      default:
        return super.cause(event);
    }
  }

  protected override partial(): Partial<ModelAnswer> {
    return { ...super.partial(), toolCalls: [{ id: '', name: 'act', arguments: '{}' }] };
  }

  protected override async factOf(job: EffectJob, performed: Fact): Promise<Fact> {
    const fact = await super.factOf(job, performed);
    const cost = this.#failures.get(job.idempotencyKey);
    // What finds nothing left to be kept writes nothing, and cannot fail of itself.
    return cost && fact.event.type === 'flush.done'
      ? flushFailed(job.effectId, new Error('a scripted failure'), cost)
      : fact;
  }

  /** A fact that came too late, straight from the effect: the engine must take it for what it is. */
  async playStale(event: Extract<RunEvent, { effectId: number }>): Promise<string> {
    return (await this.core.engine.send(tenant, this.runId, { event: { ...event } })).kind;
  }

  #nextAsks(asks: readonly boolean[]): void {
    this.#asks.splice(0, this.#asks.length, ...asks);
  }
}

/** Leads the core in the place of the runtime: over another SQLite, without Node's parts. */
export class CoreConductor extends Conductor {
  protected override async compose(decorate: Pick<Decorators, 'host' | 'toolbox'>): Promise<Led> {
    const { clock, models = {}, tools, onError } = this.options;
    const storage = openNodeSqlite(join(this.folder, 'core.db'));
    const given = models[puppet];
    if (!given || !('generate' in given)) throw new Error('no puppet');
    const host = { storage, ...(clock && { clock }), ...(onError && { report: onError }) };
    const options = { host, models: { [puppet]: given }, ...(tools && { tools }) };
    return assembleCore(options, decorate).parts;
  }
}

function tool(name: string, sideEffect: 'readonly' | 'unsafe', asks: boolean[]) {
  return defineTool({
    name,
    description: name,
    parameters: z.object({}),
    sideEffect,
    confirm: () => asks.shift() ?? false,
    run: () => 'ok',
  });
}

function toolOf(call: { gate: string; class: string }): string {
  if (call.gate === 'refuse') return 'forbidden';
  return call.class === 'readonly' ? 'look' : 'act';
}
