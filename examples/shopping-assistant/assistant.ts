import { existsSync, mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createDetent, type Detent } from 'detent';
import { createScheduler, type Scheduler } from 'detent/schedule';
import { type OpenShop, openShop } from 'detent/shop';
import { Notices } from './notices.ts';
import { priceWorkflow } from './price.machine.ts';
import { refundWorkflow } from './refund.machine.ts';
import { standIn } from './stand-in.ts';
import { ownTools } from './tools.ts';

export interface Assistant {
  detent: Detent;
  scheduler: Scheduler;
  shop: OpenShop;
  notices: Notices;
  close(): Promise<void>;
}

const system =
  'You are the assistant of a tea house. You find products, compare them, fill the cart, and look after orders. Be brief and friendly, ' +
  'answer in the language of the customer, and say nothing of a product that no result of a tool has said. The page shows products, ' +
  'carts and orders as cards: do not repeat their lists.';

/**
 * Opens shop and assistant, with what an earlier process has left unfinished.
 *
 * @param folder keeps the shop, the conversations and the notices
 * @param origin where the shop is served
 */
export async function openAssistant(folder: string, origin: string, env = process.env): Promise<Assistant> {
  mkdirSync(folder, { recursive: true });
  const deadlineMs = Number(env.REFUND_DEADLINE_MS ?? 2 * 86_400_000);
  const file = join(folder, 'shop.db');
  const isNew = !existsSync(file);
  const shop = openShop({
    file,
    currency: 'CNY',
    staffAbove: '300',
    checkoutPage: `${origin}/checkout/{id}`,
    requestTakeover: ({ sessionId, ...asked }) => detent.sessions.requestTakeover(sessionId, asked),
  });
  if (isNew) shop.import(readFileSync(join(import.meta.dirname, 'shop.json'), 'utf8'), { tenantId: 1 });

  const notices = new Notices(join(folder, 'notices.json'));
  const refund = refundWorkflow(shop.api, deadlineMs);
  const tools = [
    ...shop.tools,
    ...ownTools({
      shop: shop.api,
      deadlineMs,
      watchEvery: env.WATCH_EVERY ?? '10m',
      hook: `${origin}/hooks/price`,
      detent: () => detent,
      scheduler: () => scheduler,
    }),
  ];
  const detent: Detent = createDetent({
    workspace: folder,
    models: { shop: standIn },
    tools: { define: tools },
    agents: {
      shop: {
        systemPrompt: system,
        tools: [...tools.map(({ name }) => name), 'ask_user'],
        budget: 'customers',
        ...((await hasNoKey(env)) && { model: 'shop/stand-in' }),
      },
    },
    // A stranger cannot spend what all customers share.
    budgets: { customers: { each: 'user', maxTokens: 300_000, per: 'day' } },
    workflows: [refund, priceWorkflow(shop.api)],
    webhooks: { allowHosts: ['127.0.0.1', 'localhost'] },
    notify(notice) {
      // Here a shop sends a push message. This one writes down what it would send.
      console.error(`push to ${notice.userId}: ${notice.type}`);
      if (notice.type === 'run.ended' && notice.workflow === 'refund' && notice.userId !== null) {
        const { userId, runId } = notice;
        notices.add(notice.id, { userId, kind: 'refund', data: { runId } });
      }
    },
  });
  // A process that died within a login or a deletion does the rest in its next life.
  detent.users.onClaim(({ tenantId, from, to }) => shop.users.claim(tenantId, from, to));
  detent.users.onForget(({ tenantId, userId }) => shop.users.forget(tenantId, userId));
  const scheduler = createScheduler(detent);
  await detent.runs.resume();
  await scheduler.start();
  return {
    detent,
    scheduler,
    shop,
    notices,
    async close() {
      await scheduler.close();
      await detent.close();
      shop.close();
    },
  };
}

/** Whether no provider of Detent has a key in the environment, so that the stand-in must answer. */
async function hasNoKey(env: NodeJS.ProcessEnv): Promise<boolean> {
  const detent = createDetent({ store: 'in-process', env });
  const { values } = await detent.config.get();
  await detent.close();
  return values.model === 'demo/demo';
}
