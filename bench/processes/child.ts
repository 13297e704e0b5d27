import { monitorEventLoopDelay } from 'node:perf_hooks';
import { setTimeout as pause } from 'node:timers/promises';
import type { ChatModel, ModelAnswer, ModelRequest } from '../../src/index.ts';
import { createDetent } from '../../src/runtime/create-detent.ts';
import { look } from '../support/answer.ts';

/** What one of several processes on a database does. */
export interface ProcessTask {
  /** Holds the database. */
  folder: string;
  synchronous: 'FULL' | 'NORMAL';
  /** Runs of this process at the same time, each in a session of its own. */
  atOnce: number;
  /** How long the model takes to answer. */
  thinkingMs: number;
  /** How long it is measured. */
  windowMs: number;
}

export interface ProcessResult {
  runs: number;
  cpuMs: number;
  /** The longest time for which the event loop stood still. */
  maxStallMs: number;
}

/** Asks for a tool, then ends. */
class Model implements ChatModel {
  readonly #thinkingMs: number;

  constructor(thinkingMs: number) {
    this.#thinkingMs = thinkingMs;
  }

  async generate({ messages }: ModelRequest): Promise<ModelAnswer> {
    if (this.#thinkingMs > 0) await pause(this.#thinkingMs * (0.5 + Math.random()));
    const isFirst = messages.at(-1)?.role === 'user';
    return {
      model: 'bench',
      text: isFirst ? '' : 'It is there.',
      reasoning: '',
      refusal: '',
      toolCalls: isFirst ? [{ id: 'call_0', name: 'look', arguments: '{}' }] : [],
      finish: isFirst ? 'toolCalls' : 'stop',
      finishReason: null,
      usage: { inputTokens: 100, outputTokens: 10, cachedInputTokens: 0, reasoningTokens: 0 },
      error: null,
    };
  }
}

const task = JSON.parse(process.argv[2] ?? '{}') as ProcessTask;
const detent = createDetent({
  workspace: task.folder,
  env: {},
  model: 'bench/model',
  models: { bench: new Model(task.thinkingMs) },
  tools: { define: [look], allowed: ['look'] },
  database: { synchronous: task.synchronous },
});

/** Runs until then. Returns how many of them ended in time. */
async function work(until: number): Promise<number> {
  let runs = 0;
  const lanes = Array.from({ length: task.atOnce }, async () => {
    while (performance.now() < until) {
      const { status } = await detent.run('Look it up.', { sessionId: crypto.randomUUID() }).result;
      if (status !== 'done') throw new Error(`a run ended as ${status}`);
      if (performance.now() < until) runs++;
    }
  });
  await Promise.all(lanes);
  return runs;
}

// Drives all runs, so that each process looks at what the others do, as a server does.
await detent.runs.resume();
await work(performance.now() + Math.min(1_000, task.windowMs));
process.send?.('ready');
await new Promise((resolve) => process.once('message', resolve));
const before = process.cpuUsage();
// Looks so seldom that it costs nothing.
const delay = monitorEventLoopDelay({ resolution: 20 });
delay.enable();
const runs = await work(performance.now() + task.windowMs);
delay.disable();
const { user, system } = process.cpuUsage(before);
const maxStallMs = delay.max / 1e6;
process.send?.({ runs, cpuMs: (user + system) / 1_000, maxStallMs } satisfies ProcessResult);
await detent.close();
process.disconnect();
