import { describe, expect, it } from 'vitest';
import { checkSummary, rejectionBefore } from '../../../src/agent/compaction/check-summary.ts';
import { toBlocks } from '../../../src/agent/messages/blocks.ts';
import type { ChatModel } from '../../../src/protocol/ports/chat-model.ts';
import { summaryHeading } from '../../../src/protocol/ports/chat-model.ts';
import { startRequest } from '../../../src/runtime/requests/run-request.ts';
import type { RunRow } from '../../../src/store/rows.ts';
import { randomId } from '../../../src/text/ids.ts';
import { coreWith, modelOptions, temporaryWorkspace, withModel } from '../../support/detent.ts';
import { answer, user } from '../prompt/blocks.ts';
import { isPrompt, isSummary, talkative, words } from './support.ts';

const small = 'test/moonshot-v1-8k';

describe('the check of a summary', () => {
  const blocks = toBlocks([
    user(1, 0, `please refund order ORD-4711, see https://shop.example/o/4711 ${'lorem '.repeat(50)}`),
    answer(1, 1, { text: 'It is 12,500 in "BLUEHERON", I wrote to ann@example.org' }),
    user(2, 0, 'and what of ORD-9000?'),
  ]);
  const plan = { old: blocks.slice(0, 2), kept: blocks.slice(2), summary: null };
  const good = 'Refund of ORD-4711 (https://shop.example/o/4711): 12500 in BLUEHERON; ann@example.org knows.';
  const check = (words: string, text = words) => checkSummary({ words, text, plan });

  it('takes one that is short and keeps the identifiers', () => {
    expect(check(good)).toBeNull();
  });

  it('refuses an empty one, and one that is not shorter than what it stands for', () => {
    expect(check('')).toMatchObject({ code: 'SUMMARY_REJECTED' });
    expect(check(good + ' and so on'.repeat(200))?.message).toMatch(/not shorter/);
  });

  it('refuses one that leaves out identifiers, and names them', () => {
    const refused = check('They want a refund of ORD-4711, which is in BLUEHERON.');
    expect(refused).toMatchObject({
      code: 'SUMMARY_REJECTED',
      details: { missing: ['https://shop.example/o/4711', '12,500', 'ann@example.org'] },
    });
    expect(refused?.message).toBe('it leaves out https://shop.example/o/4711, 12,500, ann@example.org');
  });

  it('counts what stands in the user’s words behind it, or stays whole, as kept', () => {
    const quoting = { ...plan, old: [...plan.old, ...toBlocks([user(1, 2, 'ORD-9000 is meant')])] };
    expect(checkSummary({ words: good, text: good, plan: quoting })).toBeNull();
    const short = 'They want a refund: 12500 in BLUEHERON; ann@example.org knows.';
    expect(check(short, `${short}\n- refund ORD-4711, see https://shop.example/o/4711`)).toBeNull();
  });
});

describe('a summary that leaves out what matters', () => {
  const says = (n: number) => `${'lorem ipsum '.repeat(170)} the code is CODE-${7000 + n}`;
  const talk = async (summary: (n: number) => string, turns: number) => {
    const model = talkative({ summary: (n) => ({ text: summary(n) }), flush: () => ({ text: 'NOTHING' }) });
    const detent = withModel(model, { workspace: await temporaryWorkspace() });
    const views = [];
    for (let n = 0; n < turns; n++)
      views.push(await detent.run(says(n), { sessionId: 's', model: small }).result);
    return { model, detent, views };
  };

  it('is given up at last when it says nothing: the run goes on without one, and says so', async () => {
    const { model, detent, views } = await talk(() => '', 8);
    const last = views.at(-1);
    expect(last).toMatchObject({ status: 'done', outcome: 'completed_degraded' });
    const events = await detent.runs.events(last?.runId ?? '');
    const failures = events.filter(({ event }) => event.type === 'compact.failed');
    expect(failures.map(({ event }) => event.error)).toMatchObject([
      { code: 'SUMMARY_REJECTED' },
      { code: 'SUMMARY_REJECTED' },
    ]);
    expect(model.requests.filter(isPrompt)).toHaveLength(8);
    const { details } = await detent.runs.why(last?.runId ?? '');
    expect(details.join('\n')).toMatch(
      /no summary was made: SUMMARY_REJECTED: the model wrote an empty summary/,
    );
  });

  it('is mended after a crash, too: the log knows what was missing', async () => {
    const model = talkative({ summary: () => ({ text: 'They said much.' }) });
    const { runs, store } = await coreOf(model);
    let seq = 0;
    let runId = '';
    for (let n = 0; seq === 0; n++) {
      runId = await runs(says(n));
      const row = await store.query('loadRun', { tenant: 1, id: runId });
      const events = await store.query('listEvents', { run: row?.pk ?? 0, after: 0, limit: 100 });
      seq = events.find(({ type }) => type === 'compact.failed')?.seq ?? 0;
    }
    const row = await store.query('loadRun', { tenant: 1, id: runId });
    const standing = (at: number) => rejectionBefore(store, { run: { ...row, seq: at } as RunRow });
    expect(await standing(seq)).toMatch(/it leaves out .*CODE-7000/);
    expect(await standing(seq - 1)).toBeNull();
  });
});

describe('an identifier that the user named', () => {
  it.each([
    ['that every summary keeps', 'They said much of CODE-7000.'],
    ['that no summary keeps', 'They said much.'],
  ])('stays in the prompt, however often the session is compacted: one %s', async (_, summary) => {
    // Behind what is kept of a message, and only in the first one.
    const first = `${'lorem ipsum '.repeat(100)} the code is CODE-7000`;
    const model = talkative({
      summary: (n) => ({ text: n === 1 ? 'They said much of CODE-7000.' : summary }),
      flush: () => ({ text: 'NOTHING' }),
    });
    const detent = withModel(model, { workspace: await temporaryWorkspace() });
    for (let n = 0; n < 20; n++)
      await detent.run(n === 0 ? first : words(2_000, n), { sessionId: 's', model: small }).result;
    expect(model.requests.filter(isSummary).length).toBeGreaterThan(3);
    const prompts = model.requests.filter(isPrompt).map(({ messages }) => JSON.stringify(messages));
    expect(prompts.filter((prompt) => !prompt.includes('CODE-7000'))).toEqual([]);
  });

  it('is one of at most 24, the newest of them', async () => {
    const codes = (n: number) =>
      Array.from({ length: 10 }, (_, i) => `CODE-${n}${String(i).padStart(3, '0')}`);
    const model = talkative({
      summary: () => ({ text: 'They said much.' }),
      flush: () => ({ text: 'NOTHING' }),
    });
    const detent = withModel(model, { workspace: await temporaryWorkspace() });
    for (let n = 1; n < 10; n++)
      await detent.run(`${'lorem ipsum '.repeat(170)} ${codes(n).join(' ')}`, {
        sessionId: 's',
        model: small,
      }).result;
    const text =
      model.requests.at(-1)?.messages.find((one) => one.text.startsWith(summaryHeading))?.text ?? '';
    const [, also = ''] = /^Also named: (.*)$/m.exec(text) ?? [];
    const named = also.split(', ');
    expect(named).toHaveLength(24);
    expect(named.slice(0, 10).map((code) => code.slice(0, 6))).toEqual(Array(10).fill(named[0]?.slice(0, 6)));
    expect(named).not.toContain('CODE-1000');
  });
});

async function coreOf(model: ChatModel) {
  const options = modelOptions(model, { workspace: await temporaryWorkspace(), model: small });
  const core = await coreWith(model, options);
  return {
    store: core.store,
    runs: async (prompt: string) => {
      const request = startRequest(prompt, { sessionId: 's' }, options, randomId('run'));
      const runOptions = { ...request.options, workspace: core.workspace };
      const runId = await core.runs.start({ ...request, options: runOptions });
      await core.runs.settled(1, runId);
      return runId;
    },
  };
}

describe('a summary', () => {
  it('does not repeat the user’s words that a model has copied into it', async () => {
    const summary = 'SUMMARY\n\nWhat the user said, in order:\n- what nobody ever said';
    const model = talkative({ summary: () => ({ text: summary }) });
    const detent = withModel(model, { workspace: await temporaryWorkspace() });
    for (let n = 0; n < 12; n++) await detent.run(words(2_000, n), { sessionId: 's', model: small }).result;
    const prompt = model.requests.at(-1)?.messages.find(({ text }) => text.startsWith(summaryHeading));
    expect(prompt?.text).toMatch(/- turn \d/);
    expect(prompt?.text).not.toContain('nobody ever said');
  });
});
