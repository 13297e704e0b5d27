import fc from 'fast-check';
import { expect, it } from 'vitest';
import { scripted } from '../../support/detent.ts';
import { inSizes } from '../../support/size.ts';

const numRuns = inSizes({ usual: 4, deep: 12, full: 100 });
const users = ['ann', 'bob', 'guest:7'] as const;
const tenants = [1, 2] as const;

const act = fc.record({
  does: fc.constantFrom('says' as const, 'says' as const, 'claims' as const, 'forgets' as const),
  tenantId: fc.constantFrom(...tenants),
  userId: fc.constantFrom(...users),
  to: fc.constantFrom(...users),
});

/** Who is whom in a tenant, and how often each has spoken. */
class Model {
  readonly said = new Map<string, number>();
  readonly guests = new Map<string, string>();
}

const refusals = ['USER_CLAIMED', 'USER_FORGOTTEN', 'NOT_FOUND', 'INVALID_ARGUMENTS'];

it(`claims and deletions of users change nothing of another user or tenant, in ${numRuns} random histories`, async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(act, { minLength: 4, maxLength: 12 }), async (acts) => {
      const { detent } = await scripted(Array.from({ length: 40 }, () => ({ text: 'hello' })));
      await detent.tenants.create({ name: 'acme' });
      const models = new Map(tenants.map((tenantId) => [tenantId, new Model()]));
      for (const [n, { does, tenantId, userId, to }] of acts.entries()) {
        const { said, guests } = models.get(tenantId) as Model;
        const isGone = guests.has(userId);
        const attempt = async (work: () => Promise<unknown>) =>
          work().then(
            () => true,
            (error: { code: string }) => {
              expect(refusals).toContain(error.code);
              return false;
            },
          );
        if (does === 'says') {
          const principal = { tenantId, userId };
          const done = await attempt(
            () => detent.run(`of tenant ${tenantId}, by ${userId}`, { principal, sessionId: `${n}` }).result,
          );
          expect(done).toBe(!isGone);
          if (done) said.set(userId, (said.get(userId) ?? 0) + 1);
        } else if (does === 'claims') {
          const may = userId !== to && !isGone && !guests.has(to) && (said.get(userId) ?? 0) > 0;
          expect(await attempt(() => detent.users.claim({ from: userId, to, tenantId }))).toBe(may);
          if (!may) continue;
          said.set(to, (said.get(to) ?? 0) + (said.get(userId) ?? 0));
          said.delete(userId);
          guests.set(userId, to);
        } else {
          const done = await attempt(() => detent.users.forget(userId, { tenantId }));
          expect(done).toBe(!isGone);
          if (!done) continue;
          said.delete(userId);
          // The guests of a user who is forgotten are nobody's: they may begin anew.
          for (const [guest, user] of guests) if (user === userId) guests.delete(guest);
        }
        for (const tenantId of tenants)
          for (const userId of users) {
            const { said } = models.get(tenantId) as Model;
            const exported = (await Array.fromAsync(detent.users.export(userId, { tenantId }))).map(
              (line): { type: string } => JSON.parse(line),
            );
            const sessions = exported.filter(({ type }) => type === 'session');
            expect([tenantId, userId, sessions.length]).toEqual([tenantId, userId, said.get(userId) ?? 0]);
            const other = tenantId === 1 ? 2 : 1;
            expect(JSON.stringify(exported)).not.toContain(`of tenant ${other}`);
          }
      }
    }),
    { numRuns },
  );
});
