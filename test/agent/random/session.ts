import fc from 'fast-check';
import { idsIn } from '../../../machines/calls.rules.ts';
import type { RunContext } from '../../../machines/run.types.ts';
import { createRunHost } from '../../../src/agent/run-host.ts';
import type { AgentParts } from '../../../src/agent/services.ts';
import { createEmbeddedBus, noHints } from '../../../src/engine/bus.ts';
import { Engine } from '../../../src/engine/engine.ts';
import { createMachineHosts } from '../../../src/engine/machine/machine-hosts.ts';
import { modelError } from '../../../src/models/wire/model-error.ts';
import type { ContentPart, ModelAnswer, ModelToolCall } from '../../../src/protocol/content.ts';
import { DetentError } from '../../../src/protocol/error.ts';
import type {
  ChatModel,
  GenerateOptions,
  ModelRequest,
  PromptMessage,
  ToolSpec,
} from '../../../src/protocol/ports/chat-model.ts';
import type { Toolbox, ToolOutcome } from '../../../src/protocol/ports/toolbox.ts';
import type { ConfirmDecision, ReconcileDecision } from '../../../src/runs/decisions/decisions.ts';
import { Runs } from '../../../src/runs/runs.ts';
import { createRedactor } from '../../../src/runtime/config/redaction.ts';
import type { RunRow } from '../../../src/store/rows.ts';
import { defaultLimits, type RunOptions } from '../../../src/store/run-options.ts';
import type { Store } from '../../../src/store/store.ts';
import { checkOutput } from '../../../src/tools/output/output-schema.ts';
import { jsonSchemaIssues } from '../../../src/tools/registry/json-schema.ts';
import { soleOwnership } from '../../support/sole-ownership.ts';
import type { Chance } from './draws.ts';
import { type Saying, type Wire, wires } from './voices.ts';
import type { RandomWires } from './wires.ts';

type Gen = fc.GeneratorValue;

const toolSpecs: ToolSpec[] = [
  {
    name: 'look',
    description: '',
    parameters: { type: 'object', properties: {}, required: [], additionalProperties: false },
  },
  {
    name: 'act',
    description: 'Acts.',
    parameters: { type: 'object', properties: { n: { type: 'number' } } },
  },
];

export const tenant = 1;
const sessionId = 's';
/** The smallest picture of one dot, the beginning of a document, and what is not what it says. */
const attachments: readonly [ContentPart, ...ContentPart[]] = [
  {
    type: 'image',
    mimeType: 'image/png',
    data: 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  },
  { type: 'file', mimeType: 'application/pdf', data: 'JVBERi0xLjQK', name: 'b\u00fcch "1".pdf' },
  { type: 'image', mimeType: 'image/png', name: 'p.png', data: 'aGVsbG8=' },
];
const usage = { inputTokens: 10, outputTokens: 5, cachedInputTokens: 0, reasoningTokens: 0 };
/** Answers after which the model only says yes, so that every history ends. */
const maxAnswers = 25;
/** For one session, which takes some milliseconds on a machine that does nothing else. */
const longestMs = 60_000;

/** Known to the process: taken out of all that is stored, thoughts with a signature included. */
const secret = 's3cret-of-the-process';

interface RandomSessionOptions {
  /** Has the models speak the three wires, and holds all that is sent against their rules. */
  wires?: RandomWires;
}

/** A prompt as the model was asked with it. */
interface Asked {
  runId: string;
  messages: readonly PromptMessage[];
  /** `provider/model` that was asked, and the instructions. */
  model: string;
  /** Where the session begins, and up to where it is pruned, as one word. */
  smaller: string;
  /** Whether it was cut because compactions failed. */
  isCut: boolean;
}

/**
 * One session of random life, led by the real machine, engine, host and row writers: answers of all kinds, steering,
 * cancelling, decisions, expiries, failures, compactions and crashes, all drawn from `gen`.
 */
export class RandomSession {
  readonly store: Store;
  readonly bus = createEmbeddedBus();
  readonly asked: Asked[] = [];
  readonly reports: unknown[] = [];
  /** Messages that were taken, by their words, with the run that took them. */
  readonly taken = new Map<string, string>();
  readonly runIds: string[] = [];
  engine: Engine;
  runs: Runs;
  summaries = 0;
  crashes = 0;
  readonly #chanceOf: (bound: number) => number;
  readonly #wires: RandomWires | null;
  readonly #contextWindow: number;
  /** Whether all wires have one provider word, as a server named by hand may change its wire. */
  readonly #isOneProvider: boolean;
  /** Whether the Responses server keeps responses. */
  readonly #threading: boolean;
  /** Whether its models take documents besides images. */
  readonly #isSeeing: boolean;
  readonly #sleepers = new Set<{ at: number; wake: () => void }>();
  #now = 1_000_000;
  #answers = 0;
  #words = 0;
  #ended = false;
  #restarting: Promise<void> | null = null;

  /** @param chance where all choices come from: ours, or a generator of fast-check's */
  constructor(chance: Chance | Gen, store: Store, { wires = undefined }: RandomSessionOptions = {}) {
    this.#chanceOf = isChance(chance)
      ? (bound) => chance.below(bound)
      : (bound) => chance(fc.nat, { max: bound - 1 });
    this.store = store;
    this.#wires = wires ?? null;
    this.#isOneProvider = wires !== undefined && this.#chance(4);
    this.#threading = wires !== undefined && !this.#chance(3);
    this.#isSeeing = wires === undefined || !this.#chance(3);
    this.#contextWindow = this.#pick(1_000_000, 1_000_000, 2_000, 700);
    [this.engine, this.runs] = this.#begin();
  }

  /** Runs until every run has ended; fails with the state of a run that does not end. */
  async live(): Promise<void> {
    let watch: NodeJS.Timeout | undefined;
    const hangs = new Promise<never>((_, reject) => {
      watch = setTimeout(() => void this.#whereabouts().then((where) => reject(new Error(where))), longestMs);
    });
    try {
      await Promise.race([this.#life(), hangs]);
    } finally {
      clearTimeout(watch);
    }
  }

  async #whereabouts(): Promise<string> {
    const runs = await this.rows();
    const lines = runs.map(
      (row) => `${row.id} ${row.state} fence ${row.fence} driven ${this.engine.drives(row)} ${row.context}`,
    );
    return `a session hangs: ${this.crashes} crashes, ${[...this.#sleepers].length} timers\n${lines.join('\n')}`;
  }

  async #life(): Promise<void> {
    const runs = 1 + this.#below(4);
    for (let i = 0; i < runs; i++) {
      await this.#start();
      // The next may come at once, or when this one has come to rest.
      if (this.#chance(2)) await this.#rest();
    }
    for (let turns = 0; await this.#rest(); turns++) {
      if (turns > 400) throw new Error('the session never ends');
      await this.#surely(() => this.#decide());
    }
    this.#ended = true;
    // The last crash may come with the end.
    await this.#restarting;
    await this.engine.stop();
    await this.runs.stop();
  }

  async rows(): Promise<RunRow[]> {
    const rows = await this.store.query('listRuns', { tenant, limit: 100 });
    return rows.toReversed();
  }

  #begin(): [Engine, Runs] {
    const clock = {
      now: () => this.#now++,
      wakeAt: (at: number, wake: () => void) => {
        const sleeper = { at, wake };
        this.#sleepers.add(sleeper);
        return () => void this.#sleepers.delete(sleeper);
      },
      hold: () => () => {},
    };
    const { store, bus } = this;
    const toolbox = this.#toolbox();
    const { redact, stream: redactStream } = createRedactor(this.#wires ? { THE_SECRET: secret } : {});
    const services: AgentParts = {
      store,
      workspace: '/nowhere',
      memoryFolder: { workspace: '/nowhere', tenant: 1 },
      partsOf: () => Promise.reject(new Error('there is one tenant')),
      bus,
      models: {
        resolve: async (name) => ({
          chat: this.#modelOf(name),
          model: 'm',
          contextWindow: this.#contextWindow,
          maxOutputTokens: Math.floor(this.#contextWindow / 10),
          sendMaxOutputTokens: false,
          price: null,
          accepts: this.#isSeeing ? ['image', 'pdf'] : ['image'],
        }),
        nameAddress: () => {},
        addressNow: () => null,
      },
      toolbox,
      outputs: {
        check: (_, schema, text) =>
          checkOutput(schema, null, text, { owner: 'a', schemaIssues: jsonSchemaIssues }),
      },
      dayLog: {
        append: async () => {
          if (this.#chance(4)) throw new Error('no pen');
        },
      },
      clock,
      random: () => 0.5,
      redact,
      redactStream,
    };
    const host = createRunHost(services);
    const engine = new Engine({
      store,
      hosts: createMachineHosts([host]),
      clock,
      bus,
      ownership: soleOwnership(store),
      redact,
      report: (error) => void this.reports.push(error),
    });
    return [
      engine,
      new Runs({
        engine,
        store,
        bus,
        toolbox,
        models: services.models,
        partsOf: async () => ({ toolbox, workspace: '/nowhere' }),
        redact,
        hints: noHints,
        clock,
        report: (error) => void this.reports.push(error),
        actor: 'program',
      }),
    ];
  }

  // Chance

  #below(bound: number): number {
    return this.#chanceOf(bound);
  }

  /** True once in `bound` times. */
  #chance(bound: number): boolean {
    return this.#below(bound) === bound - 1;
  }

  /** Seldom, and only where wires are looked at. */
  #parts(): { parts?: ContentPart[] } {
    if (!this.#wires || !this.#chance(12)) return {};
    return { parts: Array.from({ length: this.#pick(1, 1, 2) }, () => this.#pick(...attachments)) };
  }

  #pick<T>(...values: readonly [T, ...T[]]): T {
    return values[this.#below(values.length)] ?? values[0];
  }

  #say(chars = this.#pick(0, 0, 40, 400)): string {
    const end = this.#wires ? this.#pick('', '', '', ' ', '\ud83d') : '';
    return `w${this.#words++}${'.'.repeat(chars)}${end}`;
  }

  // People

  /** With wires: one of the three, or several to fail over to or to take in turns. */
  #models(): Pick<RunOptions, 'model' | 'fallbacks' | 'strategy'> {
    if (!this.#wires) return { model: 'puppet/m' };
    const name = () => {
      const wire = this.#pick(...(wires as [Wire, ...Wire[]]));
      return this.#isOneProvider ? `one/${wire}` : `${wire}/m`;
    };
    const model = name();
    const fallbacks = Array.from({ length: this.#pick(0, 0, 1, 2) }, name);
    return { model, fallbacks, strategy: this.#pick('failover', 'failover', 'roundRobin') };
  }

  async #start(): Promise<void> {
    const options: RunOptions = {
      machine: 'run',
      ...this.#models(),
      endpoint: null,
      system: this.#wires && this.#chance(8) ? '' : 'system prompt',
      tools: null,
      approve: 'ask',
      ...(this.#chance(4) && { output: { type: 'object', required: ['ok'] } }),
      workspace: '/',
      principal: { tenantId: tenant, userId: null, claims: {} },
    };
    const limits = { ...defaultLimits, attempts: 2, parallel: 2, steps: 12 };
    const prompt = this.#say();
    const parts = this.#parts();
    const mode = this.#pick('queue', 'queue', 'queue', 'steer', 'interrupt');
    const id = await this.#surely(() =>
      this.runs.start({ tenant, sessionId, prompt, ...parts, mode, options, limits }),
    );
    this.taken.set(prompt, id);
    if (!this.runIds.includes(id)) this.runIds.push(id);
    this.bus.listen(id, ({ type, path }) => {
      if (type === 'transition' && String(path).endsWith('.backingOff')) this.#waitOut(id).catch(() => {});
    });
  }

  /** Waits until only a person can move the session; false when it has nothing left to do. */
  async #rest(): Promise<boolean> {
    for (;;) {
      await this.#restarting;
      const [head] = await this.store.query('listActiveRuns', {});
      if (!head) return false;
      const { status } = await this.runs.settled(tenant, head.id);
      await this.#restarting;
      if (status === 'waiting') return true;
      // It may have come to rest because its process is dying.
      if (status === 'interrupted' || status === 'queued') await this.#surely(() => this.engine.drive('all'));
    }
  }

  /** Does something again when the process died in the middle of it. */
  async #surely<T>(work: () => Promise<T>): Promise<T> {
    for (;;)
      try {
        await this.#restarting;
        return await work();
      } catch (error) {
        if (!DetentError.is(error) || error.code !== 'CLOSED') throw error;
      }
  }

  /** Acts on the run at the head of the lane: a decision, a message, a cancel, a crash. */
  async #decide(): Promise<void> {
    const [head] = await this.store.query('listActiveRuns', {});
    if (!head) return;
    const { asked, asking, uncertain } = openCalls(head);
    const act = this.#below(20);
    if (act === 0) return void (await this.runs.cancel(tenant, head.id));
    if (act === 1) return this.#message(head.id);
    if (act === 2) return this.#wake();
    if (act === 3) return this.#crash();
    if (asking.length > 0) {
      const answer: ConfirmDecision = this.#chance(3)
        ? { verdict: 'reject' }
        : { verdict: 'answer', answer: 'that one' };
      return void (await this.runs.confirm(tenant, head.id, this.#pick(...(asking as [number])), answer));
    }
    const open = asked.length > 0 ? asked : uncertain;
    // The run has moved on since the session looked.
    if (open.length === 0) return;
    const call = this.#pick(...(open as [number]));
    if (asked.length === 0) {
      const word = this.#pick<ReconcileDecision>(
        { verdict: 'ran', result: 'so they say' },
        { verdict: 'ran' },
        { verdict: 'retry' },
        { verdict: 'skip' },
      );
      return void (await this.runs.reconcile(tenant, head.id, call, word));
    }
    const decision = this.#pick<ConfirmDecision>(
      { verdict: 'approve' },
      { verdict: 'reject', reason: 'no' },
      { verdict: 'modify', arguments: { now: 'look' } },
      { verdict: 'modify', arguments: {} },
    );
    await this.runs.confirm(tenant, head.id, call, decision);
  }

  async #message(runId: string): Promise<void> {
    const words = this.#say();
    const { kind } = await this.runs.message(tenant, runId, words, this.#parts().parts);
    if (kind === 'moved') this.taken.set(words, runId);
  }

  /** Things that happen while something else is going on. */
  async #meanwhile(runId: string): Promise<void> {
    const act = this.#below(100);
    if (act === 0) await this.runs.cancel(tenant, runId).catch(() => {});
    else if (act <= 8) await this.#message(runId).catch(() => {});
    else if (act === 9) void this.#message(runId).catch(() => {});
    else if (act === 10) void this.runs.cancel(tenant, runId).catch(() => {});
    // The next run of the lane gets its failure.
    else if (act <= 13 && !this.#ended) void this.#crash().catch(() => {});
  }

  /** Lets the time of a back-off pass; the soonest timer may be another one. */
  async #waitOut(runId: string): Promise<void> {
    while (!this.#ended) {
      for (let turns = 0; turns < 3; turns++) await new Promise((resolve) => setImmediate(resolve));
      const row = await this.store.query('loadRun', { tenant, id: runId });
      if (!row?.state.includes('backingOff')) return;
      this.#wake();
    }
  }

  /** The soonest timer's time has come. */
  #wake(): void {
    const [next] = [...this.#sleepers].sort((a, b) => a.at - b.at);
    if (!next) return;
    this.#sleepers.delete(next);
    this.#now = Math.max(this.#now, next.at);
    next.wake();
  }

  /** The process dies and another takes over. */
  #crash(): Promise<void> {
    this.#restarting ??= (async () => {
      this.crashes++;
      const stopping = [this.engine.stop(), this.runs.stop()];
      await Promise.all(stopping);
      this.#sleepers.clear();
      [this.engine, this.runs] = this.#begin();
      await this.engine.drive('all');
      this.#restarting = null;
    })();
    return this.#restarting;
  }

  // The model

  #modelOf(name: string): ChatModel {
    const wire = wires.find((wire) => name.split('/').includes(wire)) ?? 'chat';
    return {
      generate: async (request, options) => {
        this.#wires?.check(request);
        if (this.#wires && this.#chance(40)) this.#wires.forget();
        const answer = await this.#generate(name, request, options);
        return this.#wires ? this.#spoken(wire, request, answer) : answer;
      },
    };
  }

  /** The same answer as it comes over a wire: with what its provider wants back, and cut where it failed. */
  #spoken(wire: Wire, request: ModelRequest, answer: ModelAnswer): ModelAnswer {
    const { text, refusal, reasoning, toolCalls, finish, error } = answer;
    if (error && text === '' && reasoning === '' && toolCalls.length === 0) return answer;
    const saying: Saying = {
      text,
      refusal,
      toolCalls:
        this.#threading && wire === 'responses' ? toolCalls.map((call) => this.#withOwnId(call)) : toolCalls,
      finish,
      thought: reasoning || this.#pick('hm', '', `the key is ${secret}`, 'cut \ud83d'),
      thoughtForm: this.#pick('none', 'plain', 'signed', 'encrypted'),
      serverCall: this.#pick('none', 'none', 'none', 'none', 'none', 'none', 'answered', 'owed'),
      cutAt: error ? this.#pick(0.9, 0.7, 0.5, 0.3, 0) : null,
    };
    return this.#wires?.ask(wire, request, this.#threading, saying, error) ?? answer;
  }

  /** A server that keeps calls has ids that it takes back. */
  #withOwnId(call: ModelToolCall): ModelToolCall {
    return { ...call, id: `call_own${this.#words++}` };
  }

  async #generate(
    name: string,
    { messages, tools }: ModelRequest,
    { idempotencyKey, onDelta }: GenerateOptions,
  ): Promise<ModelAnswer> {
    const runId = idempotencyKey.split(':')[0] ?? '';
    const base: ModelAnswer = {
      model: 'm',
      text: '',
      reasoning: '',
      refusal: '',
      toolCalls: [],
      finishReason: null,
      finish: 'stop',
      usage,
      error: null,
    };
    const isSummary = tools.length === 0;
    const row = await this.store.query('loadRun', { tenant, id: runId });
    if (!isSummary) {
      const { loss } = JSON.parse(row?.context ?? '{}') as RunContext;
      const session = await this.store.query('findSession', { tenant, key: sessionId });
      const smaller = JSON.stringify(session);
      this.asked.push({ runId, messages, model: name, smaller, isCut: loss === 'history' });
    }
    if (this.#chance(3)) onDelta({ type: 'text', text: 'half a w' });
    await this.#meanwhile(runId);
    if (isSummary) {
      if (this.#chance(4))
        return {
          ...base,
          text: this.#pick('', '  '),
          error: this.#pick(null, modelError('server', 'down')),
        };
      this.summaries++;
      return { ...base, text: this.#say(40) };
    }
    if (this.#answers++ > maxAnswers) return { ...base, text: 'yes' };
    return { ...base, ...this.#answer() };
  }

  #answer(): Partial<ModelAnswer> {
    const calls = () => ({
      finish: 'toolCalls' as const,
      text: this.#pick('', 'so'),
      toolCalls: this.#calls(),
    });
    switch (this.#below(48)) {
      case 0:
        return { text: this.#pick('yes', '{"ok":true}') };
      case 11:
        return { text: this.#pick('', ' \n'), reasoning: this.#pick('', 'hm') };
      case 12:
        return { error: modelError(this.#pick('rate_limit', 'overloaded', 'auth', 'bad_request'), 'no') };
      case 13:
        return { text: this.#pick('done \n', 'cut \ud83d', secret) };
      case 1:
        return { refusal: 'no', finish: this.#pick('stop', 'refusal') };
      case 2:
        return { ...calls(), finish: 'contentFilter' };
      case 3:
        return { text: this.#say(), finish: 'length' };
      case 4:
        return { error: modelError('server', 'down') };
      case 5:
        return { ...calls(), error: modelError('network', 'cut off') };
      case 6:
        return { text: this.#pick('', 'so'), reasoning: 'hm', error: modelError('server', 'down') };
      case 7:
        return { error: modelError('context_overflow', 'too long') };
      case 8:
        if (this.#chance(4)) throw new Error('a breach of contract');
        return { ...calls(), refusal: 'no', finish: this.#pick('stop', 'toolCalls', 'length', 'unknown') };
      case 9:
      case 10:
        return { text: this.#say() };
      default:
        return calls();
    }
  }

  #calls(): ModelAnswer['toolCalls'] {
    return Array.from({ length: 1 + this.#below(4) }, (_, i) => ({
      id: this.#pick(
        `id_${this.#words++}`,
        '',
        'call_0',
        `call_${i}`,
        ...(this.#wires ? this.#oddIds() : []),
      ),
      name: this.#pick(
        'look',
        'look',
        'act',
        'ask',
        'probe',
        'bad',
        'forbidden',
        'no such tool',
        ...(this.#wires ? ['', 'web.search', 'x'.repeat(80)] : []),
      ),
      arguments: this.#pick(
        '{}',
        '{}',
        'not json',
        `{"n":${this.#below(3)}}`,
        ...(this.#wires
          ? ['', '[]', '{"cut":"\\ud83d"}', `{"long":"${'y'.repeat(2_000)}"}`, `{"k":"${secret}"}`]
          : []),
      ),
    }));
  }

  /** Too long, of another alphabet, with spaces, or such as the projection makes them itself. */
  #oddIds(): string[] {
    const made = `call_${1 + this.#below(3)}_${2 + this.#below(12)}`;
    return [made, made, 'x'.repeat(70), 'functions.look:0', 'übung→1', 'a b'];
  }

  // The tools

  #toolbox(): Toolbox {
    const refuse = (code: string) => ({
      gate: 'refuse' as const,
      code,
      text: `refused: ${code}`,
      why: 'rule',
    });
    return {
      ready: async () => {},
      views: () => [],
      isUntrusted: () => false,
      grantPattern: () => ({}),
      specs: () => toolSpecs,
      plan: async (name, raw) => {
        if (name === 'ask' && raw.includes('look'))
          return { gate: 'run', sideEffect: 'readonly', why: 'rule' };
        if (name === 'look') return { gate: 'run', sideEffect: 'readonly', why: 'rule' };
        if (name === 'act') return { gate: 'run', sideEffect: 'unsafe', why: 'rule' };
        if (name === 'probe') return { gate: this.#pick('run', 'ask'), sideEffect: 'probe', why: 'rule' };
        if (name === 'ask') return { gate: 'ask', sideEffect: 'unsafe', why: 'rule' };
        return refuse(name === 'forbidden' ? 'TOOL_NOT_ALLOWED' : 'INVALID_ARGUMENTS');
      },
      run: async (name, _, { runId, ask }) => {
        await this.#meanwhile(runId);
        if (this.#chance(10)) await ask?.({ text: 'Which one?' }).catch(() => {});
        if (this.#chance(4)) return { isError: true, code: 'TOOL_FAILED', text: `${name} failed` };
        return {
          isError: false,
          code: null,
          text: '.'.repeat(this.#chance(20) ? 60_000 : this.#pick(0, 3, 300)),
          ...this.#parts(),
        };
      },
      status: async () =>
        this.#pick<ToolOutcome | 'notRan' | null>(null, 'notRan', {
          isError: false,
          code: null,
          text: 'it ran',
        }),
    };
  }
}

function isChance(chance: Chance | Gen): chance is Chance {
  return 'below' in chance;
}

export function openCalls(row: RunRow): Record<'asked' | 'asking' | 'uncertain', number[]> {
  const context = JSON.parse(row.context) as RunContext;
  return {
    asked: idsIn(context, 'asked'),
    asking: idsIn(context, 'asking'),
    uncertain: idsIn(context, 'uncertain'),
  };
}
