import { describe, expect, it } from 'vitest';
import { type Json, perform } from './interpreter.ts';
import { contentOf, mapped } from './mapped.ts';
import { conversation, filledShop, parsedFixture } from './support.ts';

const tasks =
  parsedFixture<
    { id: string; actions: { name: string; arguments: Json; write: boolean }[]; communicate_info: string[] }[]
  >('tasks.json');
const before = parsedFixture<Json>('db.json');

/** The gift card of task 105 does not cover what it asks for. */
function attempted(work: () => void): boolean {
  try {
    work();
    return true;
  } catch {
    return false;
  }
}

describe('the tasks of the fixture', () => {
  it('is the shop, when nothing has happened', async () => {
    expect(await contentOf(filledShop(), before)).toEqual(before);
  });

  it.each(tasks)(
    'leave the shop as a plain reading of policy.md does: $id',
    async ({ actions, communicate_info }) => {
      const shop = filledShop();
      const plain = structuredClone(before);
      const talk = conversation(shop);
      const results: string[] = [];
      const say = async (tool: string, args: object) => results.push((await talk(tool, args)).text);
      for (const { name, arguments: args, write } of actions) {
        const call = mapped(name, args);
        if (write && results.length === 0) {
          const { email } = plain.users[plain.orders[args.order_id].user_id];
          await say('customer_lookup', { email });
        }
        const isAllowed = !write || attempted(() => perform(plain, name, args));
        if (call) await say(call.tool, call.args);
        if (write) expect(results.at(-1)).toMatch(isAllowed ? /^Done\./ : /^[A-Z_]+: /);
      }
      expect(await contentOf(shop, before)).toEqual(plain);
      for (const said of communicate_info) expect(results.join('\n')).toContain(said);
    },
  );
});
