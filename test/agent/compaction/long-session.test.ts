import { describe, expect, it } from 'vitest';
import type { RunView } from '../../../src/index.ts';
import { modelError } from '../../../src/models/wire/model-error.ts';
import type { ModelAnswer } from '../../../src/protocol/content.ts';
import type { ChatModel, ModelRequest } from '../../../src/protocol/ports/chat-model.ts';
import { summaryHeading } from '../../../src/protocol/ports/chat-model.ts';
import { createDetent } from '../../../src/runtime/create-detent.ts';
import { temporaryWorkspace, tool } from '../../support/detent.ts';
import { chatRuleViolations } from '../../support/openai-rules.ts';
import { inSizes } from '../../support/size.ts';
import { dayFiles, isFlush, isSummary } from './support.ts';

const turns = inSizes({ usual: 60, deep: 60, full: 2_000 });
/** Known to have a window of 8,192 tokens, of which 2,048 are kept for the answer. */
const model = 'test/moonshot-v1-8k';
const everyFact = 10;
const factOf = (n: number) => `PLANT-${10_000 + n}`;

/** A provider that counts by a rule of its own, and refuses what is over its window. */
class Provider implements ChatModel {
  readonly charsPerToken: number;
  readonly window: number;
  spent = 0;
  refused = 0;
  prompt: ModelRequest | null = null;
  readonly violations: string[] = [];

  constructor(charsPerToken: number, window: number) {
    this.charsPerToken = charsPerToken;
    this.window = window;
  }

  async generate(request: ModelRequest): Promise<ModelAnswer> {
    this.violations.push(...chatRuleViolations(request.messages));
    const inputTokens = this.#count(request);
    const said = this.#say(request);
    const outputTokens = Math.ceil(said.text.length / this.charsPerToken) + 20;
    if (inputTokens + outputTokens > this.window) {
      this.refused++;
      const message = 'the prompt is too long for this model';
      const error = modelError('context_overflow', message);
      return { ...answer({ text: '' }), error, usage: null };
    }
    this.spent += inputTokens + outputTokens;
    if (!isFlush(request) && !isSummary(request)) this.prompt = request;
    const usage = { inputTokens, outputTokens, cachedInputTokens: 0, reasoningTokens: 0 };
    return { ...answer(said), usage };
  }

  #count({ messages, tools }: ModelRequest): number {
    const chars = JSON.stringify(messages).length + JSON.stringify(tools).length;
    return Math.ceil(chars / this.charsPerToken);
  }

  #say(request: ModelRequest): Pick<ModelAnswer, 'text'> & Partial<ModelAnswer> {
    const { messages } = request;
    const transcript = messages[0]?.text ?? '';
    if (isSummary(request)) {
      const known = new Set(transcript.match(/PLANT-\d+|ref-\d+/g));
      return { text: `They spoke of ${[...known].slice(-30).join(', ')} and went on.` };
    }
    if (isFlush(request)) {
      const facts = [...new Set(transcript.match(/^User: .*PLANT-\d+/gm))];
      return facts.length === 0
        ? { text: 'NOTHING' }
        : { text: '', toolCalls: [call('memory_write', { lines: facts.map((fact) => fact.slice(-60)) })] };
    }
    const last = messages.at(-1);
    if (last?.role === 'user' && /look/.test(last.text))
      return { text: '', toolCalls: [call('look', { n: messages.length })] };
    return { text: `I see. ${'It is as you say, and so we go on. '.repeat(12)}` };
  }
}

function call(name: string, args: object) {
  return { id: 'call_0', name, arguments: JSON.stringify(args) };
}

function answer({ text, toolCalls = [] }: Pick<ModelAnswer, 'text'> & Partial<ModelAnswer>): ModelAnswer {
  const finish = toolCalls.length > 0 ? 'toolCalls' : 'stop';
  return {
    model: 'scripted',
    text,
    reasoning: '',
    refusal: '',
    toolCalls,
    finish,
    finishReason: finish,
    usage: null,
    error: null,
  };
}

/** Every third turn looks something up, which brings a long result; every tenth one tells a fact. */
function says(n: number): string {
  const fact = n % everyFact === 0 ? ` Mind that my code number ${n} is ${factOf(n)}.` : '';
  const look = n % 3 === 0 ? ' Please look.' : '';
  return `Turn ${n % 1_000}: ${'we talk about this and that. '.repeat(8)}${look}${fact}`;
}

async function talk(provider: Provider) {
  const workspace = await temporaryWorkspace();
  const look = tool('look', { run: () => `found ref-${7_777}\n${'a line of the file\n'.repeat(160)}` });
  const detent = createDetent({
    workspace,
    env: {},
    model,
    models: { test: provider },
    tools: { define: [look], allowed: ['look'] },
    database: { synchronous: 'NORMAL' },
  });
  const views: RunView[] = [];
  const costs: number[] = [];
  const facts = new Map<string, number>();
  for (let n = 0; n < turns; n++) {
    const before = provider.spent;
    const view = await detent.run(says(n), { sessionId: 's' }).result;
    views.push(view);
    costs.push(provider.spent - before);
    let flushed = false;
    for (const { event } of await detent.runs.events(view.runId)) {
      facts.set(event.type, (facts.get(event.type) ?? 0) + 1);
      if (event.type === 'flush.done') flushed = true;
      if (event.type === 'compact.done') {
        expect(flushed).toBe(true);
        flushed = false;
      }
    }
  }
  await detent.close();
  return { views, costs, facts, known: await dayFiles(workspace) };
}

const mean = (numbers: number[]) => numbers.reduce((sum, each) => sum + each, 0) / numbers.length;

describe(`a session of ${turns} turns`, () => {
  it.each([
    { name: 'the window that we know of', charsPerToken: 4, window: 8_192, refusals: 0 },
    { name: 'more tokens than we think', charsPerToken: 2.6, window: 8_192, refusals: 1 },
    { name: 'half the window that we know of', charsPerToken: 4, window: 4_096, refusals: 5 },
  ])(
    'goes on and on, at the same cost a turn, with a provider that has $name',
    async ({ charsPerToken, window, refusals }) => {
      const provider = new Provider(charsPerToken, window);
      const { views, costs, facts, known } = await talk(provider);
      expect(new Set(views.map(({ outcome }) => outcome))).toEqual(new Set(['completed']));
      expect(provider.violations).toEqual([]);
      expect(provider.refused).toBeLessThanOrEqual(refusals);

      const compactions = facts.get('compact.done') ?? 0;
      expect(compactions).toBeGreaterThan(turns / 40);
      expect(facts.get('flush.done')).toBe(compactions);
      expect(facts.get('context.pruned')).toBeGreaterThan(0);
      expect([facts.get('flush.failed'), facts.get('compact.failed')]).toEqual([undefined, undefined]);

      const summary = provider.prompt?.messages.find(({ text }) => text.startsWith(summaryHeading))?.text;
      const now = JSON.stringify(provider.prompt?.messages);
      expect(summary?.length).toBeLessThan(window * charsPerToken * 0.4);
      for (let n = 0; n < turns; n += everyFact) expect(known + now).toContain(factOf(n));

      const quarter = Math.floor(turns / 4);
      const growth = mean(costs.slice(-quarter)) / mean(costs.slice(quarter, 2 * quarter));
      console.log(
        `${turns} turns, window ${window}, ${charsPerToken} characters a token: ${compactions} compactions, ${facts.get('context.pruned')} prunings, ${provider.refused} refused, ${Math.round(mean(costs))} tokens a turn, last to second quarter ${growth.toFixed(2)}`,
      );
      expect(growth).toBeGreaterThan(0.8);
      expect(growth).toBeLessThan(1.2);
    },
    600_000,
  );
});
