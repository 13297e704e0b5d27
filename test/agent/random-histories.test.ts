import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readConversation } from '../../src/agent/conversation.ts';
import { toPrompt } from '../../src/agent/projection.ts';
import { replay } from '../../src/engine/replay.ts';
import type { Store } from '../../src/engine/store.ts';
import { createInProcessStore } from '../../src/store/in-process/index.ts';
import { openSqlite } from '../../src/store/sql/sqlite.ts';
import { chatRuleViolations, isPrefix } from '../support/openai-rules.ts';
import { sized } from '../support/size.ts';
import { RandomSession, tenant } from './random-session.ts';

const stores: [name: string, open: () => Promise<Store>, histories: number][] = [
  ['in process', async () => createInProcessStore(), sized(1_000, 10_000)],
  ['SQLite', () => openSqlite({ file: ':memory:' }), sized(50, 1_000)],
];

describe.each(stores)('sessions of random life on a store %s', (name, open, histories) => {
  it('ask the model with valid prompts alone, and leave nothing open', { timeout: 1_200_000 }, async () => {
    const count = {
      sessions: 0,
      runs: 0,
      prompts: 0,
      grown: 0,
      summaries: 0,
      cut: 0,
      crashes: 0,
      messages: 0,
    };
    const outcomes = new Map<string, number>();
    await fc.assert(
      fc.asyncProperty(fc.gen(), async (gen) => {
        const store = await open();
        const session = new RandomSession(gen, store);
        await session.live();
        count.sessions++;
        count.summaries += session.summaries;
        count.crashes += session.crashes;
        count.messages += session.taken.size;
        expect(session.reports).toEqual([]);
        for (const { messages, isCut } of session.asked) {
          expect(chatRuleViolations(messages)).toEqual([]);
          count.prompts++;
          if (isCut) count.cut++;
        }
        count.grown += expectGrowing(session);
        for (const outcome of await expectWhole(session)) {
          count.runs++;
          outcomes.set(outcome, (outcomes.get(outcome) ?? 0) + 1);
        }
        await store.close();
      }),
      { numRuns: histories, endOnFailure: process.env.DETENT_TEST_SHRINK !== '1' },
    );
    console.log(
      `random sessions, ${name}: ${JSON.stringify(count)} ${JSON.stringify(Object.fromEntries(outcomes))}`,
    );
  });
});

/** Each prompt begins with the one before it, as long as nothing was compacted or cut in between. */
function expectGrowing({ asked }: RandomSession): number {
  let grown = 0;
  for (const [i, later] of asked.entries()) {
    const earlier = asked[i - 1];
    if (!earlier || later.isCut || earlier.isCut || earlier.summaries !== later.summaries) continue;
    if (!isPrefix(earlier.messages, later.messages))
      expect(later.messages).toEqual([...earlier.messages, expect.anything()]);
    grown++;
  }
  return grown;
}

/** What must hold of every session when all its runs have ended; answers their outcomes. */
async function expectWhole(session: RandomSession): Promise<string[]> {
  const { store, engine, runs } = session;
  const rows = await session.rows();
  expect(rows.map(({ id }) => id).sort()).toEqual([...session.runIds].sort());
  const outcomes: string[] = [];
  for (const row of rows) {
    const events = await store.query('listEvents', { run: row.pk, after: 0, limit: 10_000 });
    expect(replay(engine.hostOf('run'), row, events)).toEqual({ diverged: null, folded: events.length });
    expect(await store.query('listOpenEffects', { run: row.pk })).toEqual([]);
    expect(await store.query('listTimers', { run: row.pk })).toEqual([]);
    const view = await runs.view(tenant, row.id);
    expect(view.pending).toEqual([]);
    for (const call of view.steps.flatMap((step) => (step.error ? [] : step.toolCalls)))
      expect(call).toMatchObject({
        status: expect.stringMatching(/^(done|failed|rejected|skipped|cancelled|uncertain)$/),
        result: expect.any(String),
      });
    outcomes.push(view.outcome ?? 'none');
  }
  await expectHeard(session);
  return outcomes;
}

/** No message that was taken is lost: it is in the conversation, or in what stands for its older part. */
async function expectHeard({ store, taken, ...session }: RandomSession): Promise<void> {
  const last = (await store.query('listRuns', { tenant, limit: 1 }))[0];
  if (!last) return;
  const { summary, blocks } = await readConversation(store, { run: last, memory: {} }, 0);
  const prompt = toPrompt(blocks, { system: '', summary: null, provider: '' });
  const violations = chatRuleViolations([...prompt, { role: 'user', text: 'what comes next' }]);
  expect(violations).toEqual([]);
  const rows = await store.query('listMessages', { session: last.session, run: 0, seq: 0 });
  const stored = new Set(rows.filter(({ role }) => role === 'user').map(({ body }) => JSON.parse(body).text));
  for (const words of taken.keys()) {
    expect(stored.has(words)).toBe(true);
    if (summary === null) expect(prompt).toContainEqual({ role: 'user', text: words });
  }
  expect(session.reports).toEqual([]);
}
