import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { openInMemory } from '../../../src/store/sql/in-memory.ts';
import type { Store } from '../../../src/store/store.ts';
import { RandomSession } from '../../agent/random/session.ts';
import { chatRuleViolations } from '../../support/openai-rules.ts';
import { inSizes } from '../../support/size.ts';
import { exported, imported, promptOf, sessionsOf, tenant, withoutIds } from './support.ts';

const key = 's';

/** Exports, imports and exports again, and holds all that must be the same against each other. */
async function roundTrip(store: Store): Promise<{ store: Store; lines: string[] }> {
  const lines = await exported(store, key);
  const copy = await imported(lines);
  expect(copy).toMatchObject({ sessionId: key, lines: lines.length, notes: [] });
  expect(await exported(copy.store, key)).toEqual(lines);
  const prompt = await promptOf(copy.store, key);
  expect(chatRuleViolations([...prompt, { role: 'user', text: 'and now?' }])).toEqual([]);
  expect(withoutIds(prompt)).toEqual(withoutIds(await promptOf(store, key)));
  return { store: copy.store, lines };
}

function seqs(lines: readonly string[]): unknown[] {
  return lines.map((line) => JSON.parse(line).seq);
}

describe('sessions of random life', () => {
  it('are the same after export, import and export, and so are the prompts that carry them on', {
    timeout: 1_200_000,
  }, async () => {
    const count = { sessions: 0, lines: 0, summaries: 0, cleared: 0, continued: 0 };
    await fc.assert(
      fc.asyncProperty(
        fc.gen(),
        fc.boolean(),
        fc.constantFrom('no', 'here', 'imported'),
        async (gen, isCleared, next) => {
          const store = openInMemory();
          await new RandomSession(gen, store).live();
          if (isCleared) count.cleared += (await sessionsOf(store).clear(tenant, key, false)).cleared;
          let last = await roundTrip(store);
          if (next !== 'no') {
            count.continued++;
            const goesOn = next === 'here' ? store : last.store;
            await new RandomSession(gen, goesOn).live();
            if (isCleared) await sessionsOf(goesOn).clear(tenant, key, false);
            last = await roundTrip(goesOn);
          }
          expect(seqs(last.lines)).toEqual(last.lines.map((_, i) => i + 1));
          expect(last.lines.join('')).not.toContain('assistant.delta');
          count.sessions++;
          count.lines += last.lines.length;
          count.summaries += last.lines.filter((line) => line.includes('"is_summary":true')).length;
        },
      ),
      {
        numRuns: inSizes({ usual: 8, deep: 30, full: 1_000 }),
        endOnFailure: process.env.DETENT_TEST_SHRINK !== '1',
      },
    );
    console.log(`round trips: ${JSON.stringify(count)}`);
    for (const seen of Object.values(count)) expect(seen).toBeGreaterThan(0);
  });
});
