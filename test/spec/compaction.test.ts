import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'vitest';
import type { Detent, DetentOptions } from '../../src/index.ts';
import { summaryHeading } from '../../src/protocol/ports/chat-model.ts';
import { estimatePrompt } from '../../src/protocol/ports/tokens.ts';
import { type ScriptedAnswer, scriptedModel } from '../../src/testing/index.ts';
import {
  dayFiles,
  isFlush,
  isPrompt,
  isSummary,
  talkative,
  type Voices,
  words,
} from '../agent/compaction/support.ts';
import { temporaryWorkspace, tool, withModel } from '../support/detent.ts';
import { chatRuleViolations } from '../support/openai-rules.ts';
import { calls, given, when } from './support.ts';

// A conversation has no maximum, a prompt has. Old messages make room for a summary; nothing is deleted.

/** Known to have a window of 8,192 tokens, of which 2,048 are kept for the answer. */
const small = { sessionId: 's', model: 'test/moonshot-v1-8k' };
const room = 8_192 - 2_048;

/** A session of many turns with a model that says much. */
async function long(turns: number, voices: Voices = {}, options: DetentOptions = {}) {
  const workspace = await temporaryWorkspace();
  const model = talkative(voices);
  const detent = withModel(model, { workspace, ...options });
  const views = [];
  for (let n = 0; n < turns; n++) views.push(await detent.run(words(2_000, n), small).result);
  return { detent, model, views, workspace };
}

const outcomesOf = (views: readonly { outcome: string | null }[]) =>
  new Set(views.map(({ outcome }) => outcome));
const conversationOf = async (detent: Detent) => (await detent.sessions.show('s')).conversation;

given('a session that outgrows the window of its model', () => {
  when('it goes on', 'no prompt is too long, and no call is without its result', async () => {
    const { model, views } = await long(16);
    expect(outcomesOf(views)).toEqual(new Set(['completed']));
    const prompts = model.requests.filter(isPrompt);
    const summaries = model.requests.filter(isSummary);
    expect(summaries.length).toBeGreaterThan(1);
    for (const { messages, tools } of [...prompts, ...summaries])
      expect(estimatePrompt(messages, tools)).toBeLessThanOrEqual(room);
    for (const { messages } of prompts) expect(chatRuleViolations(messages)).toEqual([]);
  });

  when(
    'it is compacted again',
    'the summary before goes into it, and the beginnings of what the user said stay word for word',
    async () => {
      const { model } = await long(20);
      const summaries = model.requests.filter(isSummary);
      expect(summaries[1]?.messages[0]?.text).toContain('SUMMARY 1');
      const summary = model.requests
        .at(-1)
        ?.messages.find(({ text }) => text.startsWith(summaryHeading))?.text;
      expect(summary).toContain(`SUMMARY ${summaries.length}`);
      expect(summary).toContain('What the user said, in order:');
      const kept = [...(summary?.matchAll(/^- (turn (\d+) .*) …$/gm) ?? [])];
      expect(kept.length).toBeGreaterThan(4);
      for (const [, beginning = '', n] of kept) expect(words(2_000, Number(n))).toContain(beginning);
    },
  );

  when('it was compacted', 'it still has every message, and says which are in the prompt', async () => {
    const { detent } = await long(12);
    const conversation = await conversationOf(detent);
    expect(conversation.filter(({ role }) => role === 'user')).toHaveLength(12);
    expect(conversation.filter(({ role }) => role === 'assistant')).toHaveLength(12);
    expect(new Set(conversation.map(({ inPrompt }) => inPrompt))).toEqual(new Set([true, false]));
    expect(conversation.at(-1)?.inPrompt).toBe(true);
  });

  when('messages leave the prompt', 'a memory file has what must outlive them, once', async () => {
    const seen: number[] = [];
    const workspace = await temporaryWorkspace();
    const entries = async () => (await dayFiles(workspace)).match(/<!-- run_\w+:\d+ -->/g) ?? [];
    const summary = async (n: number): Promise<ScriptedAnswer> => {
      seen.push((await entries()).length);
      return { text: `SUMMARY ${n}` };
    };
    const { model } = await long(15, { summary }, { workspace });
    expect(seen).toEqual(model.requests.filter(isSummary).map((_, i) => i + 1));
    expect(new Set(await entries()).size).toBe(seen.length);
    expect(await dayFiles(workspace)).toContain('FACT 1');
  });

  when('no model can summarise it', 'it goes on with the oldest messages cut, and says so', async () => {
    const { model, views } = await long(8, { summary: () => ({ error: { message: 'no summary today' } }) });
    expect(views.at(-1)).toMatchObject({ status: 'done', outcome: 'completed_degraded' });
    for (const { messages, tools } of model.requests.filter(isPrompt))
      expect(estimatePrompt(messages, tools)).toBeLessThanOrEqual(room);
  });

  when('the memory file cannot be written', 'it goes on without, and says so', async () => {
    const workspace = await temporaryWorkspace();
    await writeFile(join(workspace, 'memory'), 'a file where a folder should be');
    const { views } = await long(8, {}, { workspace });
    const compacted = views.filter(({ states }) => states.includes('active.working.compacting.summarizing'));
    expect(outcomesOf(compacted)).toEqual(new Set(['completed_degraded']));
  });

  when('the summaries themselves are too long', 'they do not drown it', async () => {
    const { views } = await long(20, { summary: () => ({ text: words(40_000, 0) }) });
    expect(outcomesOf(views)).toEqual(new Set(['completed']));
  });
});

given('a session that was compacted', () => {
  when('its cost is asked for', 'the ledger has every call, those for summaries too', async () => {
    const { detent, model } = await long(10);
    expect(model.requests.filter((request) => !isPrompt(request)).length).toBeGreaterThan(0);
    const { calls, inputTokens } = (await detent.usage()).total;
    expect([calls, inputTokens]).toEqual([model.requests.length, 10 * model.requests.length]);
  });
});

given('a summary that leaves out identifiers that the user named', () => {
  const talk = async (summary: (n: number) => string) => {
    const voices = { summary: (n: number) => ({ text: summary(n) }), flush: () => ({ text: 'NOTHING' }) };
    const model = talkative(voices);
    const detent = withModel(model, { workspace: await temporaryWorkspace() });
    for (let n = 0; n < 8; n++)
      await detent.run(`${'lorem ipsum '.repeat(170)} the code is CODE-${7000 + n}`, small).result;
    const prompt = model.requests.at(-1)?.messages.find(({ text }) => text.startsWith(summaryHeading));
    return { prompt: prompt?.text, summaries: model.requests.filter(isSummary) };
  };
  const all = Array.from({ length: 8 }, (_, n) => `CODE-${7000 + n}`).join(' ');

  when('it is made', 'it is not taken: it is asked for again, with what is missing', async () => {
    const { prompt, summaries } = await talk((n) => (n === 1 ? 'They said much.' : all));
    expect(summaries[0]?.messages.at(-1)?.text).not.toContain('was not taken');
    expect(summaries[1]?.messages.at(-1)?.text).toMatch(
      /was not taken: it leaves out .*CODE-7000.*Mend that/,
    );
    expect(prompt).toContain('CODE-7000');
  });

  when('the second one leaves them out, too', 'they are appended to it', async () => {
    const { prompt } = await talk(() => 'They said much.');
    expect(prompt).toMatch(/They said much\.\n\nAlso named: CODE-700\d/);
  });
});

given('a single run whose tool results outgrow the window', () => {
  when('it goes on', 'it is compacted between its steps, and its prompt stays', async () => {
    const look = tool('look', { run: () => 'x'.repeat(8_000) });
    const model = talkative({
      answer: (n) => (n > 12 ? { text: 'found it' } : calls(['look', { n }], ['look', { n: -n }])),
      flush: () => ({ text: 'NOTHING' }),
    });
    const tools = { define: [look], allowed: ['look'] };
    const detent = withModel(model, { workspace: await temporaryWorkspace(), tools });
    const view = await detent.run('find it', small).result;
    expect(view).toMatchObject({ outcome: 'completed', text: 'found it' });
    expect(model.requests.filter(isSummary).length).toBeGreaterThan(0);
    for (const { messages, tools } of model.requests.filter(isPrompt)) {
      expect(chatRuleViolations(messages)).toEqual([]);
      expect(estimatePrompt(messages, tools)).toBeLessThanOrEqual(room);
      expect(messages.some(({ text }) => text.includes('find it'))).toBe(true);
    }
  });
});

given('a prompt that does not fit', () => {
  when('its provider finds it too long', 'it is compacted, and the call made again', async () => {
    const model = scriptedModel([
      { text: 'one' },
      { text: 'two' },
      { error: { kind: 'context_overflow', code: 'MODEL_CONTEXT_OVERFLOW', message: 'too long' } },
      { text: 'NOTHING' },
      { text: 'SUMMARY' },
      { text: 'three' },
    ]);
    const detent = withModel(model, { workspace: await temporaryWorkspace() });
    for (const n of [1, 2]) await detent.run(`turn ${n}`, { sessionId: 's' }).result;
    const view = await detent.run('turn 3', { sessionId: 's' }).result;
    expect([view.outcome, view.text]).toEqual(['completed', 'three']);
    expect(model.requests.at(-1)?.messages.some(({ text }) => text.includes('SUMMARY'))).toBe(true);
  });

  when('a single message is longer than the window', 'the run fails, and says what to do', async () => {
    const detent = withModel(talkative(), { workspace: await temporaryWorkspace() });
    const view = await detent.run(words(60_000, 0), small).result;
    expect(view).toMatchObject({ status: 'failed', error: { code: 'CONTEXT_OVERFLOW' } });
    expect(view.error?.message).toMatch(/larger window/);
  });
});

given('a session that a person compacts', () => {
  when('there is enough', 'a run of its own does it, and the session goes on', async () => {
    const { detent, model } = await long(3);
    const done = await detent.sessions.compact('s');
    expect(done).toMatchObject({ status: 'done', nothing: false, flushed: { how: 'model', lines: 1 } });
    expect(done.after).toBeLessThan(done.before ?? 0);
    await detent.run('and now?', small).result;
    const texts = model.requests.at(-1)?.messages.map(({ text }) => text) ?? [];
    expect(texts[1]).toContain('SUMMARY');
    expect(texts.at(-1)).toBe('and now?');
  });

  when('there is nothing to compact', 'that is said, and no model is asked', async () => {
    const { detent, model } = await long(1);
    expect(await detent.sessions.compact('s')).toMatchObject({ outcome: 'completed', nothing: true });
    expect(model.requests.filter((request) => isFlush(request) || isSummary(request))).toEqual([]);
  });

  when('no summary can be made', 'that fails, and the session stays as it was', async () => {
    const { detent } = await long(3, { summary: () => ({ error: { message: 'no summary today' } }) });
    expect(await detent.sessions.compact('s')).toMatchObject({
      status: 'failed',
      error: { code: 'COMPACT_FAILED' },
    });
    expect((await conversationOf(detent)).every(({ inPrompt }) => inPrompt)).toBe(true);
  });
});
