import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { Detent } from '../../../src/index.ts';
import type { ModelRequest } from '../../../src/ports/chat-model.ts';
import { summaryHeading } from '../../../src/ports/prompt-marks.ts';
import { estimatePrompt } from '../../../src/ports/tokens.ts';
import { type ScriptedAnswer, scriptedModel } from '../../../src/testing/index.ts';
import { coreWith, modelOptions, temporaryWorkspace, tool, withModel } from '../../support/detent.ts';
import { chatRuleViolations } from '../../support/openai-rules.ts';
import { dayFiles, isFlush, isPrompt, isSummary, talkative, words } from './support.ts';

/** Known to have a window of 8,192 tokens, of which 2,048 are kept for the answer. */
const small = 'test/moonshot-v1-8k';
const room = 8_192 - 2_048;
async function talk(detent: Detent, turns: number) {
  const views = [];
  for (let n = 0; n < turns; n++)
    views.push(await detent.run(words(2_000, n), { session: 's', model: small }).result);
  return views;
}

describe('a session that outgrows the window', () => {
  it('never asks beyond it, keeps on answering, and stands on its summary', async () => {
    const model = talkative();
    const detent = withModel(model, { workspace: await temporaryWorkspace() });
    const views = await talk(detent, 60);
    expect(new Set(views.map(({ outcome }) => outcome))).toEqual(new Set(['completed']));
    const prompts = model.requests.filter(isPrompt);
    const summaries = model.requests.filter(isSummary);
    expect(summaries.length).toBeGreaterThan(3);
    for (const { messages, tools } of prompts) {
      expect(estimatePrompt(messages, tools)).toBeLessThanOrEqual(room);
      expect(chatRuleViolations(messages)).toEqual([]);
    }
    for (const { messages } of summaries) expect(estimatePrompt(messages, [])).toBeLessThanOrEqual(room);
    const last = prompts.at(-1)?.messages.find(({ text }) => text.startsWith(summaryHeading));
    expect(last?.text).toContain(`SUMMARY ${summaries.length}`);
  });

  it('hands the summary before to the next one, and keeps the user’s own words', async () => {
    const model = talkative();
    const detent = withModel(model, { workspace: await temporaryWorkspace() });
    await talk(detent, 20);
    const [, second] = model.requests.filter(isSummary);
    expect(second?.messages[0]?.text).toContain('SUMMARY 1');
    const prompt = model.requests.at(-1)?.messages.find(({ text }) => text.startsWith(summaryHeading));
    expect(prompt?.text).toContain('What the user said, in order:');
    expect(prompt?.text).toMatch(/- turn 1\d lorem/);
  });

  it('is not drowned by a summary without end', async () => {
    const model = talkative({ summary: () => ({ text: words(40_000, 0) }) });
    const detent = withModel(model, { workspace: await temporaryWorkspace() });
    const views = await talk(detent, 20);
    expect(new Set(views.map(({ outcome }) => outcome))).toEqual(new Set(['completed']));
  });

  it('writes to the day’s file before it summarises, once for each time, and names the run', async () => {
    const workspace = await temporaryWorkspace();
    const written: number[] = [];
    const entries = async () => (await dayFiles(workspace)).match(/<!-- run_\w+:\d+ -->/g) ?? [];
    let summaries = 0;
    const line = async (request: ModelRequest): Promise<ScriptedAnswer> => {
      if (isFlush(request)) return { text: 'they like lorem ipsum' };
      if (!isSummary(request)) return { text: words(2_000, 0) };
      written.push((await entries()).length);
      return { text: `SUMMARY ${++summaries}` };
    };
    const detent = withModel(scriptedModel(Array.from({ length: 60 }, () => line)), { workspace });
    await talk(detent, 15);
    expect(written).toEqual(Array.from({ length: summaries }, (_, i) => i + 1));
    expect(new Set(await entries()).size).toBe(summaries);
  });

  it('keeps all of the raw history', async () => {
    const core = await coreWith(talkative(), { workspace: await temporaryWorkspace(), model: small });
    const detentOptions = { model: small, machine: 'run' as const, endpoint: null, system: '', tools: null };
    const limits = {
      steps: 9,
      tokens: null,
      costUsd: null,
      workMs: 60_000,
      errors: 3,
      repeats: 3,
      attempts: 1,
      parallel: 1,
      queueMs: 60_000,
      confirmMs: 60_000,
      reconcileMs: 60_000,
    };
    const options = {
      ...detentOptions,
      approve: 'ask' as const,
      workspace: core.workspace,
      principal: { tenantId: 1, userId: null, claims: {} },
    };
    for (let n = 0; n < 12; n++) {
      const id = await core.runs.start({
        tenant: 1,
        sessionId: 's',
        prompt: words(2_000, n),
        mode: 'queue',
        options,
        limits,
      });
      await core.runs.settled(1, id);
    }
    const session = await core.store.query('findSession', { tenant: 1, key: 's' });
    const rows = await core.store.query('listMessages', { session: session?.pk ?? 0, run: 0, seq: 0 });
    const roles = rows.map(({ role }) => role);
    expect(roles.filter((role) => role === 'user')).toHaveLength(12);
    expect(roles.filter((role) => role === 'assistant')).toHaveLength(12);
    expect(roles.filter((role) => role === 'summary').length).toBeGreaterThan(0);
    expect(session?.headRun).toBeGreaterThan(1);
  });

  it('counts what its summaries cost in the run that made them', async () => {
    const model = talkative();
    const detent = withModel(model, { workspace: await temporaryWorkspace() });
    const views = await talk(detent, 10);
    const compacted = views.filter(({ states }) => states.includes('active.working.compacting.summarizing'));
    expect(compacted.length).toBeGreaterThan(0);
    for (const { usage } of compacted) expect(usage.inputTokens).toBeGreaterThanOrEqual(20);
  });

  it('goes on cut, and says so, when no model can summarise it', async () => {
    const model = talkative({ summary: () => ({ error: { message: 'no summary today' } }) });
    const detent = withModel(model, { workspace: await temporaryWorkspace() });
    const views = await talk(detent, 8);
    expect(views.at(-1)).toMatchObject({ status: 'done', outcome: 'completed_degraded' });
    for (const { messages, tools } of model.requests.filter(isPrompt))
      expect(estimatePrompt(messages, tools)).toBeLessThanOrEqual(room);
  });

  it('goes on without its diary when that cannot be written, and says so', async () => {
    const workspace = await temporaryWorkspace();
    await writeFile(join(workspace, 'memory'), 'a file where a folder should be');
    const detent = withModel(talkative(), { workspace });
    const views = await talk(detent, 8);
    const compacted = views.filter(({ states }) => states.includes('active.working.compacting.summarizing'));
    expect(new Set(compacted.map(({ outcome }) => outcome))).toEqual(new Set(['completed_degraded']));
  });

  it('fails with a remedy when a single message is too big for the window', async () => {
    const detent = withModel(talkative(), { workspace: await temporaryWorkspace() });
    const view = await detent.run(words(60_000, 0), { model: small }).result;
    expect(view).toMatchObject({
      status: 'failed',
      outcome: 'provider_error',
      error: { code: 'CONTEXT_OVERFLOW' },
    });
    expect(view.error?.message).toMatch(/larger window/);
  });
});

describe('a single run that outgrows the window by its tool results', () => {
  it('is compacted between its steps, and loses no pair', async () => {
    const look = tool('look', { run: () => 'x'.repeat(8_000) });
    let answers = 0;
    const line = (request: ModelRequest): ScriptedAnswer => {
      if (isSummary(request)) return { text: 'SUMMARY' };
      if (isFlush(request)) return { text: 'NOTHING' };
      if (++answers > 12) return { text: 'found it' };
      return {
        toolCalls: [
          { name: 'look', arguments: { n: answers } },
          { name: 'look', arguments: { n: -answers } },
        ],
      };
    };
    const model = scriptedModel(Array.from({ length: 60 }, () => line));
    const detent = withModel(model, {
      workspace: await temporaryWorkspace(),
      tools: { define: [look], allowed: ['look'] },
    });
    const view = await detent.run('find it', { model: small }).result;
    expect(view).toMatchObject({ outcome: 'completed', text: 'found it' });
    expect(model.requests.filter(isSummary).length).toBeGreaterThan(0);
    for (const { messages, tools } of model.requests.filter(isPrompt)) {
      expect(chatRuleViolations(messages)).toEqual([]);
      expect(estimatePrompt(messages, tools)).toBeLessThanOrEqual(room);
      expect(messages.some(({ text }) => text.includes('find it'))).toBe(true);
    }
  });

  it('is compacted, too, when only the provider finds it too long', async () => {
    const overflow = {
      error: { kind: 'context_overflow', code: 'MODEL_CONTEXT_OVERFLOW', message: 'too long' },
    } as const;
    const model = scriptedModel([
      { text: 'one' },
      { text: 'two' },
      overflow,
      { text: 'NOTHING' },
      { text: 'SUMMARY' },
      { text: 'three' },
    ]);
    const detent = withModel(model, modelOptions(model, { workspace: await temporaryWorkspace() }));
    for (const n of [1, 2]) await detent.run(`turn ${n}`, { session: 's' }).result;
    const view = await detent.run('turn 3', { session: 's' }).result;
    expect([view.outcome, view.text]).toEqual(['completed', 'three']);
    model.assertComplete();
    expect(model.requests.at(-1)?.messages.some(({ text }) => text.includes('SUMMARY'))).toBe(true);
  });
});

describe('a message while the session is compacted', () => {
  it.each([
    ['flushed', isFlush],
    ['summarised', isSummary],
  ])('is heard by the next call, and no part of what is %s, however much is said', async (_, isNow) => {
    // Together more than a compaction would keep.
    const said = [1, 2, 3, 4, 5].map((n) => `hear me ${n} ${words(2_000, n)}`);
    const workspace = await temporaryWorkspace();
    const detent: { current?: Detent; runId?: string } = {};
    let steered = false;
    const line = async (request: ModelRequest): Promise<ScriptedAnswer> => {
      if (isPrompt(request)) return { text: words(2_000, 0) };
      if (!steered && isNow(request)) {
        for (const message of said) await detent.current?.runs.steer(detent.runId ?? '', message);
        steered = true;
      }
      return { text: isFlush(request) ? 'NOTHING' : 'SUMMARY' };
    };
    const model = scriptedModel(Array.from({ length: 60 }, () => line));
    detent.current = withModel(model, { workspace, tools: { allowed: ['calculator'] } });
    while (!steered) {
      const run = detent.current.run(words(2_000, 0), { session: 's', model: small });
      detent.runId = run.runId;
      await run.result;
    }
    const heard = model.requests.at(-1)?.messages.slice(-said.length);
    expect(heard).toEqual(said.map((text) => ({ role: 'user', text })));
    for (const request of model.requests.filter((each) => !isPrompt(each)))
      expect(JSON.stringify(request.messages)).not.toContain('hear me');
  });
});
