/**
 * One very long session: what its turns cost early, and what they cost late. A turn that costs more the longer
 * a conversation is would make every conversation end.
 *
 * @module
 */

import { statSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import * as z from 'zod';
import { type ChatModel, defineTool, type ModelAnswer, type ModelRequest } from '../src/index.ts';
import { createDetent } from '../src/runtime/create-detent.ts';
import { commonFlags } from './support/flags.ts';
import { machineFacts } from './support/machine-facts.ts';
import { kilobyte, median, rounded } from './support/numbers.ts';
import { inScratchFolder } from './support/scratch.ts';
import { table } from './support/table.ts';

const usage = `usage: npm run bench -- session [--quick] [--json] [--turns N]

One session in SQLite (FULL) whose model has a window of 8,192 tokens: milliseconds, tokens and bytes a turn, by quarter.
  --quick    120 turns: shows that it works, not what it costs
  --json     one JSON object instead of the table
  --turns N  how many turns (2,000)`;

const charsPerToken = 4;
/** Known by this name to have the window that is said above. */
const model = 'bench/moonshot-v1-8k';

/** What a stretch of the session cost. */
interface Stretch {
  turns: number;
  /** Median, wall clock; the model answers at once. */
  msPerTurn: number;
  cpuMsPerTurn: number;
  /** Of prompts and answers, flushes and summaries included. */
  tokensPerTurn: number;
  kbPerTurn: number;
  compactions: number;
}

/** Answers at once, in words; looks something up in every third turn. */
class Talker implements ChatModel {
  tokens = 0;
  compactions = 0;

  async generate({ messages, tools }: ModelRequest): Promise<ModelAnswer> {
    const last = messages.at(-1);
    const asked = last?.text ?? '';
    const isSummary = asked.startsWith('Summarise the conversation above');
    const calls = last?.role === 'user' && asked.endsWith('Look it up.');
    const text = isSummary
      ? 'They spoke of this and that.'
      : calls
        ? ''
        : `I see. ${'So we go on. '.repeat(30)}`;
    const inputTokens = Math.ceil(JSON.stringify([messages, tools]).length / charsPerToken);
    const outputTokens = Math.ceil(text.length / charsPerToken) + 5;
    this.tokens += inputTokens + outputTokens;
    if (isSummary) this.compactions++;
    return {
      model: 'bench',
      text,
      reasoning: '',
      refusal: '',
      toolCalls: calls ? [{ id: 'call_0', name: 'look', arguments: '{}' }] : [],
      finish: calls ? 'toolCalls' : 'stop',
      finishReason: null,
      usage: { inputTokens, outputTokens, cachedInputTokens: 0, reasoningTokens: 0 },
      error: null,
    };
  }
}

export async function main(args: string[]): Promise<void> {
  const { values } = parseArgs({
    args,
    options: {
      ...commonFlags,
      turns: { type: 'string' },
    },
  });
  if (values.help) return console.log(usage);
  const turns = Number(values.turns ?? (values.quick ? 120 : 2_000));
  const quarters = await inScratchFolder((folder) => measure(folder, turns));
  const facts = machineFacts();
  if (values.json) console.log(JSON.stringify({ machine: facts, turns, quarters, ratios: ratios(quarters) }));
  else console.log(report(quarters));
}

async function measure(folder: string, turns: number): Promise<Stretch[]> {
  const talker = new Talker();
  const file = join(folder, 'detent.db');
  const look = defineTool({
    name: 'look',
    description: 'Looks something up.',
    parameters: z.object({}),
    sideEffect: 'readonly',
    run: () => `found it\n${'a line of the file\n'.repeat(150)}`,
  });
  const open = () =>
    createDetent({
      workspace: folder,
      env: {},
      model,
      models: { bench: talker },
      tools: { define: [look], allowed: ['look'] },
      database: { file },
    });
  const quarters: Stretch[] = [];
  let detent = open();
  let bytes = 0;
  for (let quarter = 0; quarter < 4; quarter++) {
    const times: number[] = [];
    const before = { tokens: talker.tokens, compactions: talker.compactions, cpu: process.cpuUsage() };
    const each = Math.floor(turns / 4);
    for (let n = 0; n < each; n++) {
      const said = `Turn ${quarter * each + n}. ${'We talk about this and that. '.repeat(8)}`;
      const prompt = n % 3 === 0 ? `${said}Look it up.` : said;
      const from = performance.now();
      const { outcome } = await detent.run(prompt, { sessionId: 's' }).result;
      times.push(performance.now() - from);
      if (outcome !== 'completed') throw new Error(`turn ${quarter * each + n} ended ${outcome}`);
    }
    const cpu = process.cpuUsage(before.cpu);
    // The last to close a database moves its write-ahead log into it.
    await detent.close();
    const { size } = statSync(file);
    quarters.push({
      turns: each,
      msPerTurn: rounded(median(times)),
      cpuMsPerTurn: rounded((cpu.user + cpu.system) / 1_000 / each),
      tokensPerTurn: rounded((talker.tokens - before.tokens) / each, 0),
      kbPerTurn: rounded((size - bytes) / each / kilobyte, 1),
      compactions: talker.compactions - before.compactions,
    });
    bytes = size;
    detent = open();
  }
  await detent.close();
  return quarters;
}

/** The last quarter through the second: the first one warms up, and makes the tables. */
function ratios([, second, , last]: readonly Stretch[]) {
  const of = (key: keyof Stretch) => rounded((last?.[key] ?? Number.NaN) / (second?.[key] ?? Number.NaN));
  return {
    ms: of('msPerTurn'),
    cpuMs: of('cpuMsPerTurn'),
    tokens: of('tokensPerTurn'),
    kb: of('kbPerTurn'),
  };
}

function report(quarters: readonly Stretch[]): string {
  const { ms, cpuMs, tokens, kb } = ratios(quarters);
  const { date, node, platform, cores, cpu } = machineFacts();
  const rows = quarters.map((each, i) => [
    `quarter ${i + 1}`,
    ...[
      each.turns,
      each.msPerTurn,
      each.cpuMsPerTurn,
      each.tokensPerTurn,
      each.kbPerTurn,
      each.compactions,
    ].map(String),
  ]);
  const heading = ['', 'turns', 'ms a turn', 'CPU ms', 'tokens', 'KB', 'compactions'];
  return [
    `${date}, Node ${node}, ${platform}, ${cores} × ${cpu}`,
    '',
    table([heading, ...rows]),
    '',
    `last quarter through second (1 is flat): ${ms} ms, ${cpuMs} CPU ms, ${tokens} tokens, ${kb} KB`,
  ].join('\n');
}
