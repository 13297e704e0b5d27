import { expect, it } from 'vitest';
import { noJdk } from '../../../scripts/build-java.ts';
import { startExample } from '../../docs/example-server.ts';
import { temporaryWorkspace } from '../../support/detent.ts';
import { describeWith } from '../../support/needs.ts';
import { inSizes } from '../../support/size.ts';
import { Phones, type Said, tokensOf } from './support.ts';

const languages = [
  {
    language: 'English',
    words: ['show me tea', 'compare them', 'add the first one to my cart', 'cancel order W1002'],
    person: 'I want to talk to a person',
  },
  {
    language: 'Chinese',
    words: ['找茶叶', '比较一下', '把第一个加入购物车', '取消订单 W1002'],
    person: '转人工客服',
  },
];

/** A new token of a customer for each that is asked, as the page of the shop gets it. */
async function tokensOfCustomer(url: string) {
  const ask = async (path: string, body: object, cookie = '') => {
    const headers = { 'content-type': 'application/json', cookie };
    return fetch(url + path, { method: 'POST', headers, body: JSON.stringify(body) });
  };
  const login = await ask('/login', { user: 'ann', password: 'oolong' });
  const cookie = login.headers.get('set-cookie')?.split(';')[0] ?? '';
  return tokensOf(async () => ((await (await ask('/me', {}, cookie)).json()) as { token: string }).token);
}

describeWith(noJdk === null, noJdk ?? '')('an app with the Java client, in the shop to try', () => {
  it.each(inSizes({ usual: languages.slice(0, 1), deep: languages, full: languages }))(
    'shops in $language: searches and compares, another device confirms, staff agrees and takes over, the answer is rated',
    async ({ words: [search = '', compare = '', add = '', cancel = ''], person }) => {
      const { url, said } = await startExample('main', 'examples/shopping-assistant');
      const operator = /tok_\S+/.exec(said.join(''))?.[0];
      const staff = async <T>(method: string, path: string, body?: object): Promise<T> => {
        const headers = { authorization: `Bearer ${operator}`, 'content-type': 'application/json' };
        const init = { method, headers, ...(body && { body: JSON.stringify(body) }) };
        return (await (await fetch(`${url}/agent/api/v1${path}`, init)).json()) as T;
      };
      const tokens = await tokensOfCustomer(url);
      const phones = new Phones();
      for (const client of ['phone', 'tablet']) {
        const folder = await temporaryWorkspace();
        await phones.ask({
          do: 'open',
          client,
          url: `${url}/agent`,
          folder,
          tokens: tokens.url,
          user: 'ann',
        });
        await phones.ask({ do: 'engine', client, engine: client, agent: 'shop', session: 'main' });
      }
      const run = async (prompt: string) => {
        await phones.ask({ do: 'run', engine: 'phone', prompt });
        return () => phones.end(prompt);
      };
      const data = (field: string) =>
        phones
          .messages('phone')
          .flatMap(({ event, payload }) => (event === 'tool.result' ? [Object(payload.data)[field]] : []))
          .findLast((one) => one !== undefined);
      const asked = (decides: string, of: string) => (one: Said) =>
        one.class === 'ConfirmRequest' &&
        one.engine === 'phone' &&
        one.message?.payload.decides === decides &&
        one.message.payload.name === of;

      expect(await (await run(search))()).toBe(null);
      expect(data('items').length).toBeGreaterThan(3);
      expect(await (await run(compare))()).toBe(null);
      expect(data('compared').length).toBeGreaterThan(1);

      const added = await run(add);
      const { message: cart } = await phones.until(asked('user', 'cart_manager'));
      expect(await phones.ask({ do: 'sync', client: 'tablet', run: cart?.runId, ms: 5_000 })).toMatch(
        /^waiting 1 /,
      );
      await phones.ask({ do: 'confirm', engine: 'tablet', call: cart?.payload.callId });
      expect(await added()).toBe(null);
      expect(data('cart').lines).toHaveLength(1);

      const cancelled = await run(cancel);
      const { message: order } = await phones.until(asked('user', 'order_change'));
      await phones.ask({ do: 'confirm', engine: 'phone', call: order?.payload.callId });
      const { message: change } = await phones.until(asked('staff', 'order_change'));
      const { callId, argumentsHash: hash } = change?.payload ?? {};
      await staff('POST', `/runs/${change?.runId}/confirmations/${callId}`, { verdict: 'approve', hash });
      expect(await cancelled()).toBe(null);
      expect(data('order')).toMatchObject({ id: '#W1002', status: 'cancelled' });

      expect(await (await run(person))()).toBe(null);
      const state = (is: string) => (one: Said) =>
        one.class === 'TakeoverChanged' && one.message?.payload.state === is;
      await phones.until(state('waiting'));
      const { runs } = await staff<{ runs: { sessionId: string }[] }>('GET', '/runs?limit=1');
      const session = `/sessions/${encodeURIComponent(runs[0]?.sessionId ?? '')}`;
      await staff('POST', `${session}/takeover`, {});
      await phones.until(state('taken'));
      await staff('POST', `${session}/words`, { content: '多拉 here: your tea is on its way.' });
      const { message: words } = await phones.until(({ class: name }) => name === 'StaffMessage');
      expect(words?.payload.content).toBe('多拉 here: your tea is on its way.');
      await staff('DELETE', `${session}/takeover`);
      await phones.until(state('over'));
      await phones.ask({ do: 'rate', engine: 'phone', run: words?.runId, thumb: 'DOWN', reason: '太慢' });
      expect(await phones.end('rate')).toBe(null);
      const { conversation } = await staff<{ conversation: { rating?: object }[] }>('GET', session);
      expect(conversation.flatMap(({ rating }) => rating ?? [])).toMatchObject([
        { thumb: 'down', reason: '太慢', by: 'ann' },
      ]);
    },
  );
});
