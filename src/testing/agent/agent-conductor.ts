import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { idsIn } from '../../../machines/calls.rules.ts';
import type { RunEvent } from '../../../machines/run.types.ts';
import type { EffectJob, Fact } from '../../engine/machine.ts';
import { defaultTenant as tenant } from '../../protocol/access.ts';
import type { ModelAnswer } from '../../protocol/content.ts';
import { parseJson } from '../../protocol/json.ts';
import type { ModelRequest, Toolbox, ToolOutcome } from '../../protocol/ports.ts';
import { type ToolContext, taskName } from '../../protocol/tool.ts';
import { compose, type Decorators } from '../../runtime/compose.ts';
import type { Core, DetentOptions } from '../../runtime/config.ts';
import { startRun } from '../../runtime/requests.ts';
import { callNumber } from '../../store/stored-call.ts';
import { subRunId } from '../../store/stored-run.ts';
import { randomId } from '../../text/ids.ts';
import type { AgentPathsOptions, PerformedCall, SampleCall } from './agent-path.ts';
import { brokenPrompt, brokenRows, repeatedHarm } from './broken-rules.ts';
import { Conductor, puppet, until, usageOf } from './conductor.ts';
import type { GraphCall, Inside, NamedAnswer, PathEvent } from './point.ts';
import { scriptedFailure } from './run-events.ts';

/** Leads runs of the user's own agent: its tools, policy, hooks and prompts are real. */
export class AgentConductor extends Conductor {
  readonly #given: AgentPathsOptions;
  readonly #folder: string;
  readonly performed: PerformedCall[] = [];
  readonly #calls = new Map<number, SampleCall>();
  /** Calls whose results are lost with the process. */
  readonly #lost = new Set<string>();
  readonly #ran = new Set<string>();
  readonly #released = new Map<string, PromiseWithResolvers<void>>();
  #whole: Core | null = null;
  #earlier = '';
  /** Messages of the user in the session. */
  #said = 0;
  /** What is to happen in the run that a call starts. */
  #inside: Inside | 'dies' | null = null;
  #isHeld = false;
  #mayRunInside = true;
  #badPrompt: string | null = null;

  private constructor(given: AgentPathsOptions, options: DetentOptions, folder: string) {
    // So that a limit in dollars can be reached.
    super(options, { inputUsd: 1, outputUsd: 1 });
    this.#given = given;
    this.#folder = folder;
  }

  static async open(given: AgentPathsOptions): Promise<AgentConductor> {
    const folder = await mkdtemp(join(tmpdir(), 'detent-paths-'));
    const conductor = new AgentConductor(given, optionsIn(folder, given.options ?? {}), folder);
    await conductor.open();
    return conductor;
  }

  override get core(): Core {
    if (!this.#whole) throw new Error('not open');
    return this.#whole;
  }

  protected override async compose(decorate: Pick<Decorators, 'host' | 'toolbox'>): Promise<Core> {
    this.#whole = await compose(this.options, decorate);
    return this.#whole;
  }

  override async close(): Promise<void> {
    await super.close();
    await rm(this.#folder, { recursive: true, force: true });
  }

  /** Starts the run: with something to summarise before it, or behind a run at work, if a path needs that. */
  async begin({ hasPast = false, isQueued = false }): Promise<void> {
    const { prompt = 'go', request = {} } = this.#given;
    const sessionId = randomId('ses');
    const start = (words: string) =>
      startRun(async () => this.core, this.options, words, { ...request, sessionId }, randomId('run'));
    if (hasPast || isQueued) this.#earlier = await start(pastWords);
    const words = Array.from({ length: hasPast ? pastMessages : 0 }, (_, i) => `${pastWords} ${i}`);
    for (const each of words) await this.core.runs.message(tenant, this.#earlier, each);
    this.runId = await start(prompt);
    this.#said = 1 + words.length + (this.#earlier ? 1 : 0);
    if (isQueued) return;
    if (hasPast) await this.core.runs.cancel(tenant, this.#earlier);
    await until(async () => (await this.look()).path !== 'idle', 'the run never began');
  }

  /** The same for an end of the process of which the machine hears nothing. */
  override async play(event: PathEvent): Promise<void> {
    if (event.type !== 'process.died') return super.play(event);
    const asking = idsIn((await this.look()).context, 'asking');
    await this.#die();
    for (const callId of asking) await this.lead(callId, 'run');
  }

  protected override async cause(event: RunEvent & { inside?: Inside }): Promise<void> {
    switch (event.type) {
      case 'run.start':
        await this.core.runs.cancel(tenant, this.#earlier);
        return;
      case 'run.message':
        this.#said++;
        return super.cause(event);
      case 'model.done':
        return this.#answerWith(event);
      case 'run.resumed': {
        const task = idsIn((await this.look()).context, 'started').find((id) => this.#startsRun(id));
        if (task !== undefined) await this.#holdRunOf(task);
        return this.#die();
      }
      case 'subrun.parked':
        this.#inside = 'calls';
        this.#released.set(this.key(event.callId), Promise.withResolvers());
        return this.lead(event.callId, 'run');
      case 'subrun.resumed': {
        const verdict = event.inside === 'reject' ? 'reject' : 'approve';
        const child = subRunId(this.runId, event.callId);
        const [asked] = (await this.core.runs.view(tenant, child)).pending;
        await this.core.runs.confirm(tenant, child, callNumber(asked?.callId ?? ''), { verdict });
        return;
      }
      case 'tool.failed':
        if (!event.inside) return super.cause(event);
        this.#inside = event.inside;
        return this.lead(event.effectId, 'run');
      case 'tool.uncertain':
        if (this.#released.delete(this.key(event.effectId))) return this.#die();
        this.#lost.add(this.key(event.effectId));
        await this.lead(event.effectId, 'run');
        await until(() => this.#ran.has(this.key(event.effectId)), 'the tool never returned');
        return this.#die();
      case 'tool.asked':
        this.#released.set(this.key(event.callId), Promise.withResolvers());
        return this.lead(event.callId, 'run');
      case 'tool.done':
        if (this.#released.has(this.key(event.effectId))) {
          this.#released.get(this.key(event.effectId))?.resolve();
          return;
        }
        this.#inside = event.inside ?? null;
        return this.lead(event.effectId, 'run');
      default:
        return super.cause(event);
    }
  }

  async #die(): Promise<void> {
    await this.crash();
    this.#lost.clear();
    this.#ran.clear();
  }

  #startsRun(callId: number): boolean {
    return startsRun(this.#calls.get(callId));
  }

  /** Lets a call start its run, in which the model never answers. */
  async #holdRunOf(callId: number): Promise<void> {
    this.#inside = 'dies';
    await this.lead(callId, 'run');
    await until(() => this.#isHeld, 'the run of the call never asked the model');
    this.#inside = null;
    this.#isHeld = false;
  }

  /** Lets a call start its run and make the call of the sample there, which reaches no tool. @returns the id of that run */
  async startInside(callId: number, sample: SampleCall): Promise<string> {
    this.#calls.set(callId, sample);
    this.#mayRunInside = false;
    const id = subRunId(this.runId, callId);
    this.#inside = 'calls';
    await this.lead(callId, 'run');
    const has = async () =>
      ((await this.core.store.query('loadRun', { tenant, id }))?.context ?? '').includes('"steps":1');
    await until(has, 'the call never started a run');
    return id;
  }

  /** In the run of a call, the model makes the call of the sample, then answers. */
  protected override async answerBeside({ messages }: ModelRequest): Promise<Partial<ModelAnswer>> {
    if (this.#inside === 'dies') {
      this.#isHeld = true;
      await new Promise<never>(() => {});
    }
    if (this.#inside === 'fails') return { error: { kind: 'bad_request', ...scriptedFailure } };
    const call = [...this.#calls.values()].find(startsRun)?.inside;
    if (this.#inside !== 'calls' || !call || messages.at(-1)?.role === 'tool')
      return { text: 'The run answers.' };
    return {
      finish: 'toolCalls',
      toolCalls: [{ id: '', name: call.name, arguments: JSON.stringify(call.arguments ?? {}) }],
    };
  }

  protected override asked({ messages }: ModelRequest): void {
    this.#badPrompt ??= brokenPrompt(messages);
  }

  /** What is not as it must be when the run has ended, whatever happened to it; null for nothing. */
  async broken(calls: Iterable<GraphCall>, verdicts: readonly string[]): Promise<string | null> {
    const twice = repeatedHarm(this.performed, calls, verdicts);
    return this.#badPrompt ?? twice ?? (await brokenRows(this.core, await this.row(), this.#said));
  }

  #answerWith({ effectId, finish, fits, text, calls, cost, named = [] }: NamedAnswer): Promise<void> {
    const samples = named.map(({ name }) => this.#given.calls?.find((call) => call.name === name));
    for (const [i, { callId }] of calls.entries()) this.#calls.set(callId, samples[i] as SampleCall);
    const { answer = 'The model answers.' } = this.#given;
    const said = typeof answer === 'string' ? answer : JSON.stringify(answer);
    return this.perform(effectId, {
      finish,
      text: text ? (fits === false ? 'This does not fit.' : said) : '',
      refusal: finish === 'refusal' ? 'I will not do that.' : '',
      toolCalls: named.map(({ name }, i) => ({
        id: '',
        name,
        arguments: JSON.stringify(samples[i]?.arguments ?? {}),
      })),
      usage: usageOf(cost),
    });
  }

  protected override answerOf(callId: number): unknown {
    return this.#calls.get(callId)?.answer;
  }

  protected override changeOf(callId: number): unknown {
    return this.#calls.get(callId)?.change;
  }

  protected override async factOf(job: EffectJob, performed: Fact): Promise<Fact> {
    if (this.#lost.has(job.idempotencyKey)) {
      this.#ran.add(job.idempotencyKey);
      await new Promise<never>(() => {});
    }
    // A tool that has asked goes on by itself: its end waits until the path wants it.
    await this.#released.get(job.idempotencyKey)?.promise;
    return super.factOf(job, performed);
  }

  protected override runTool(
    toolbox: Toolbox,
    tool: string,
    raw: string,
    ctx: ToolContext,
  ): Promise<ToolOutcome> {
    if (!this.#mayRunInside && ctx.runId !== this.runId)
      return Promise.resolve({ isError: true, code: 'ABORTED', text: 'only what policy says is asked' });
    this.performed.push({ tool, arguments: parseJson(raw), idempotencyKey: ctx.idempotencyKey });
    return super.runTool(toolbox, tool, raw, ctx);
  }
}

export function startsRun(call: SampleCall | undefined): boolean {
  return call?.name === taskName || call?.inside !== undefined;
}

/** Enough that a compaction has something to summarise. */
const pastMessages = 24;
const pastWords = 'earlier words';

/** The options of the agent, with a model that is led, and a database of the test's own. */
function optionsIn(folder: string, given: DetentOptions): DetentOptions {
  const model = `${puppet}/${puppet}`;
  const led = (fallbacks: readonly string[] = []) => fallbacks.map((_, i) => `${model}-${i + 2}`);
  const agents = Object.entries(given.agents ?? {}).map(([name, agent]) => [
    name,
    { ...agent, model, ...(agent.fallbacks && { fallbacks: led(agent.fallbacks) }) },
  ]);
  const { store: _, ...options } = given;
  return {
    ...options,
    workspace: given.workspace ?? folder,
    database: { ...given.database, file: join(folder, 'detent.db'), synchronous: 'NORMAL' },
    model,
    fallbacks: led(given.fallbacks),
    agents: Object.fromEntries(agents),
    env: given.env ?? {},
    memory: { ...given.memory, recall: false },
  };
}
