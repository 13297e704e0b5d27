import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { RunEvent } from '../../../machines/run.types.ts';
import type { EffectJob, Fact } from '../../engine/machine.ts';
import { defaultTenant as tenant } from '../../protocol/access.ts';
import { parseJson } from '../../protocol/json.ts';
import type { Toolbox, ToolOutcome } from '../../protocol/ports.ts';
import type { ToolContext } from '../../protocol/tool.ts';
import type { DetentOptions } from '../../runtime/config.ts';
import { startRun } from '../../runtime/requests.ts';
import { randomId } from '../../text/ids.ts';
import type { NamedAnswer } from './agent-graph.ts';
import type { AgentPathsOptions, PerformedCall, SampleCall } from './agent-path.ts';
import { Conductor, puppet, until, usageOf } from './conductor.ts';

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
  #earlier = '';

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

  override async close(): Promise<void> {
    await super.close();
    await rm(this.#folder, { recursive: true, force: true });
  }

  /** Starts the run; with something to summarise before it if a path needs that. */
  async begin({ hasPast }: { hasPast: boolean }): Promise<void> {
    const { prompt = 'go', request = {} } = this.#given;
    const sessionId = randomId('ses');
    const start = (words: string) =>
      startRun(async () => this.core, this.options, words, { ...request, sessionId }, randomId('run'));
    if (hasPast) {
      this.#earlier = await start(pastWords);
      for (let i = 0; i < pastMessages; i++)
        await this.core.runs.message(tenant, this.#earlier, `${pastWords} ${i}`);
    }
    this.runId = await start(prompt);
    if (hasPast) await this.core.runs.cancel(tenant, this.#earlier);
    await until(async () => (await this.look()).path !== 'idle', 'the run never began');
  }

  protected override async cause(event: RunEvent): Promise<void> {
    switch (event.type) {
      case 'model.done':
        return this.#answerWith(event);
      case 'run.resumed':
        return this.#die();
      case 'tool.uncertain':
        this.#lost.add(this.key(event.effectId));
        await this.lead(event.effectId, 'run');
        await until(() => this.#ran.has(this.key(event.effectId)), 'the tool never returned');
        return this.#die();
      case 'tool.asked':
        this.#released.set(this.key(event.callId), Promise.withResolvers());
        return this.lead(event.callId, 'run');
      case 'tool.done':
        if (!this.#asks(event.effectId)) return this.lead(event.effectId, 'run');
        this.#released.get(this.key(event.effectId))?.resolve();
        return;
      default:
        return super.cause(event);
    }
  }

  async #die(): Promise<void> {
    await this.crash();
    this.#lost.clear();
    this.#ran.clear();
  }

  #asks(callId: number): boolean {
    return this.#calls.get(callId)?.answer !== undefined;
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
    this.performed.push({ tool, arguments: parseJson(raw), idempotencyKey: ctx.idempotencyKey });
    return super.runTool(toolbox, tool, raw, ctx);
  }
}

/** Enough that a compaction has something to summarise. */
const pastMessages = 24;
const pastWords = 'earlier words';

/** The options of the agent, with a model that is led, and a database of the test's own. */
function optionsIn(folder: string, given: DetentOptions): DetentOptions {
  const model = `${puppet}/${puppet}`;
  const agents = Object.entries(given.agents ?? {}).map(([name, agent]) => [
    name,
    { ...agent, model, fallbacks: [] },
  ]);
  const { store: _, ...options } = given;
  return {
    ...options,
    workspace: given.workspace ?? folder,
    database: { ...given.database, file: join(folder, 'detent.db'), synchronous: 'NORMAL' },
    model,
    fallbacks: [],
    agents: Object.fromEntries(agents),
    env: given.env ?? {},
    memory: { ...given.memory, recall: false },
  };
}
