import { setTimeout as pause } from 'node:timers/promises';
import Sqlite from 'better-sqlite3';
import * as z from 'zod';
import { type DetentOptions, defineTool } from '../../src/index.ts';
import type { ChatModel, PromptMessage } from '../../src/protocol/ports/chat-model.ts';
import { type ScriptedAnswer, scriptedModel } from '../../src/testing/index.ts';
import { keptWorkflows, type World } from './charts.ts';
import { databaseIn } from './life.ts';

/** Where the clock of the first process of the kept database began. */
export const keptBegins = Date.parse('2026-06-01T00:00:00Z');

/** A clock that goes as that of the machine, and can jump. */
export class KeptClock {
  readonly #since = performance.now();
  #ahead: number;
  readonly #sleepers = new Set<() => void>();

  constructor(begins: number) {
    this.#ahead = begins;
  }

  now = (): number => Math.round(this.#ahead + this.worked());
  worked = (): number => performance.now() - this.#since;

  wakeAt = (at: number, wake: () => void): (() => void) => {
    const once = () => {
      clearTimeout(timer);
      if (this.#sleepers.delete(once)) wake();
    };
    const timer = setTimeout(once, Math.min(Math.max(0, at - this.now()), 2 ** 31 - 1)).unref();
    this.#sleepers.add(once);
    return () => {
      clearTimeout(timer);
      this.#sleepers.delete(once);
    };
  };

  hold = (): (() => void) => {
    const timer = setInterval(() => {}, 60_000);
    return () => clearInterval(timer);
  };

  jump(ms: number): void {
    this.#ahead += ms;
    for (const wake of [...this.#sleepers]) wake();
  }
}

/**
 * The program that made the kept database, and that continues it: its tools, models and workflows. `isMaking`: what is told to
 * hold never ends, until the process dies.
 */
export function keptOptions(workspace: string, isMaking: boolean, clock: KeptClock): DetentOptions {
  const hold = async (signal?: AbortSignal): Promise<void> => {
    if (isMaking) await pause(3_600_000, undefined, signal && { signal });
  };
  const untilTold = async (): Promise<void> => {
    while (hasCommands(workspace)) await pause(10);
  };
  const world: World = { isMaking, hold, untilTold };
  return {
    workspace,
    env: {},
    clock,
    movedDatabase: 'adopt',
    model: 'test/model',
    fallbacks: ['spare/model'],
    models: { test: keptModel(world, true), spare: keptModel(world, false) },
    router: { cache: { ttlMs: 365 * 86_400_000 } },
    budgets: { team: { maxTokens: 10_000_000 } },
    sandbox: 'none',
    webhooks: { allowHosts: ['127.0.0.1'] },
    notify: (_, signal) => hold(signal),
    tools: { define: keptTools(world) },
    workflows: keptWorkflows(world),
  };
}

/** Whether a process has asked something of a run that nobody has told it yet. */
export function hasCommands(workspace: string): boolean {
  const db = new Sqlite(databaseIn(workspace), { readonly: true });
  const open = db.prepare('select 1 from commands where done_at is null').get();
  db.close();
  return open !== undefined;
}

/**
 * A model that does what the last message of its user says, one part for each answer: `call note+; say hello`. A `+` behind the name
 * of a tool has its call hold, a `*` has it hold forever.
 */
function keptModel(world: World, isFirst: boolean): ChatModel {
  return {
    async generate(request, options) {
      const { part, isMemory } = partOf(request.messages);
      const [word = '', ...rest] = part.split(' ');
      if (word === 'listen') await (world.isMaking ? world.hold() : world.untilTold());
      if (word === 'hold' || word === 'outputs' || (word === 'switch' && !isFirst)) await world.hold();
      const heard = request.messages.at(-1)?.text ?? '';
      const first = request.messages.find(({ role }) => role === 'user')?.text ?? '';
      const said = isMemory
        ? { text: 'They spoke.' }
        : answer(word, rest, { ...world, isFirst, heard, first });
      return scriptedModel([said]).generate(request, options);
    },
  };
}

interface Situation extends World {
  /** Whether it is the first model of the list. */
  isFirst: boolean;
  /** The last message. */
  heard: string;
  /** The first one of a user. */
  first: string;
}

function answer(
  word: string,
  rest: string[],
  { isMaking, isFirst, heard, first }: Situation,
): ScriptedAnswer {
  const failure = { kind: 'server' as const, code: 'MODEL_SERVER', message: 'down', retryable: true };
  switch (word) {
    case 'recall':
      return { text: first };
    case 'call':
      return { toolCalls: rest.map((name, i) => ({ id: `call_${i}`, ...called(name) })) };
    case 'echo':
      return { text: heard };
    case 'output':
    case 'outputs':
      return { output: { ok: true } };
    case 'late':
      return isMaking ? { error: { ...failure, retryAfterMs: 55_000 } } : { text: 'at last' };
    case 'refuse':
      return { error: { kind: 'bad_request', code: 'MODEL_BAD_REQUEST', message: 'refused' } };
    case 'switch':
      if (!isFirst) return { text: 'the spare one went on' };
      return { error: { kind: 'not_found', code: 'MODEL_NOT_FOUND', message: 'gone' } };
    case 'overflow':
      if (!isMaking) return { text: 'it fits' };
      return { error: { kind: 'context_overflow', code: 'MODEL_CONTEXT_OVERFLOW', message: 'too long' } };
    case 'hold':
      return { text: 'went on' };
    default:
      return { text: rest.join(' ') || 'all done' };
  }
}

function called(name: string) {
  const hold = name.endsWith('+');
  const plain = name.replace(/[+*]$/, '');
  const given: Record<string, object> = {
    task: { prompt: hold ? 'hold' : 'call send; say sent below' },
    write_file: { path: 'notes.txt', content: 'kept' },
    read_file: { path: 'notes.txt' },
  };
  return {
    name: plain,
    arguments: given[plain] ?? (hold ? { hold } : name.endsWith('*') ? { forever: true } : {}),
  };
}

/** What the model is to do now. */
function partOf(messages: readonly PromptMessage[]): { part: string; isMemory: boolean } {
  const last = messages.findLastIndex(({ role }) => role === 'user');
  const asked = messages[last]?.text ?? '';
  const of = (begins: string, word: string) => ({
    isMemory: asked.includes(begins),
    part: messages.some(({ text }) => text.includes(word)) ? 'hold' : '',
  });
  const flush = of('Before the conversation above is shortened', 'hold-flush');
  if (flush.isMemory) return flush;
  const summary = of('Summarise the conversation above', 'hold-summary');
  if (summary.isMemory) return summary;
  const parts = asked.split('; ');
  const done = messages.slice(last).filter(({ role }) => role === 'assistant').length;
  return { part: parts[done] ?? 'say all done', isMemory: false };
}

const parameters = z.object({ hold: z.boolean().optional(), forever: z.boolean().optional() });

function keptTools({ hold }: World) {
  const tool = (
    name: string,
    sideEffect: 'readonly' | 'idempotent' | 'unsafe',
    more: { confirm?: boolean; untrusted?: boolean } = {},
  ) =>
    defineTool({
      name,
      description: name,
      parameters,
      sideEffect,
      confirm: false,
      ...more,
      run: async ({ hold: isHeld, forever }, { signal }) => {
        if (isHeld) await hold(signal);
        if (forever) await pause(3_600_000, undefined, { signal });
        return `${name} done`;
      },
    });
  return [
    tool('look', 'readonly'),
    tool('note', 'idempotent'),
    tool('pay', 'unsafe'),
    tool('send', 'unsafe', { confirm: true }),
    tool('hear', 'readonly', { untrusted: true }),
    defineTool({
      name: 'store',
      description: 'store',
      parameters,
      sideEffect: 'probe',
      confirm: false,
      run: async (_, { signal }) => {
        await hold(signal);
        return 'store done';
      },
      status: () => ({ unknown: true }),
    }),
    defineTool({
      name: 'fill',
      description: 'fill',
      parameters,
      sideEffect: 'readonly',
      run: () => 'x'.repeat(60_000),
    }),
    defineTool({
      name: 'wonder',
      description: 'wonder',
      parameters,
      sideEffect: 'idempotent',
      async run(_, { ask }) {
        const said = await ask?.({ text: 'Which?', options: ['this', 'that'] });
        return said?.answered ? `chose ${String(said.answer)}` : 'no answer';
      },
    }),
  ];
}
