/**
 * A shop with an agent that pays orders back once a person approves: what the servers beside this file have in common.
 */
import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import { createDetent, type Detent, defineTool } from 'detent';
import type { Authenticate } from 'detent/gateway';
import { type ScriptLine, scriptedModel } from 'detent/testing';
import { z } from 'zod';

/** The users, as the shop's own database has them. */
const users = new Map([
  ['ada', { password: 'lovelace', shop: 'tea-house', isManager: true }],
  ['bob', { password: 'builder', shop: 'tea-house', isManager: false }],
  ['eve', { password: 'polastri', shop: 'bookshop', isManager: true }],
  ['dan', { password: 'copperfield', shop: 'bookshop', isManager: false }],
]);

const key = process.env.SHOP_KEY ?? randomBytes(32);
const sign = (text: string) => createHmac('sha256', key).update(text).digest();

const login = z.object({ user: z.string(), password: z.string() });

/**
 * The shop's own token for one of its users, good for an hour; null for an unknown name or a wrong password.
 *
 * @param body of the request, which may be anything: it is checked first
 */
export function logIn(body: unknown): string | null {
  const { data } = login.safeParse(body);
  if (!data || users.get(data.user)?.password !== data.password) return null;
  const { user: name } = data;
  const claims = Buffer.from(JSON.stringify({ name, until: Date.now() + 3_600_000 })).toString('base64url');
  return `${claims}.${sign(claims).toString('base64url')}`;
}

/**
 * Says to the gateway who shows a token of the shop. Each shop is a tenant, which is made at its first login; its managers see all of
 * the shop, and may approve.
 */
export const authenticate: Authenticate = (token) => {
  const [claims = '', signature = '', more] = token.split('.');
  const [given, right] = [Buffer.from(signature, 'base64url'), sign(claims)];
  if (more !== undefined || given.length !== right.length || !timingSafeEqual(given, right)) return null;
  const { name, until } = JSON.parse(Buffer.from(claims, 'base64url').toString());
  const user = users.get(name);
  if (!user || until < Date.now()) return null;
  const caller = { tenant: user.shop, userId: name, agents: ['default'], workflows: [], expiresAt: until };
  return user.isManager
    ? { ...caller, sees: 'tenant', scopes: ['read', 'write', 'approve'] }
    : { ...caller, scopes: ['talk'] };
};

const refund = defineTool({
  name: 'refund',
  description: 'Pays an order back.',
  parameters: z.object({ order: z.string() }),
  // Paying twice would be worse than asking: after a crash a person says whether it was paid.
  sideEffect: 'unsafe',
  confirm: true,
  run: ({ order }, { principal }) => `order ${order} is paid back to ${principal.userId}`,
});

/** Stands in for a model, so that the example needs no key. */
const answer: ScriptLine = ({ messages }) => {
  const { role, text = '' } = messages.at(-1) ?? {};
  if (role === 'tool') return { text: `I am done: ${text}.` };
  const [order] = /[A-Z]-\d+/.exec(text) ?? [];
  if (order === undefined) return { text: 'Which order shall I pay back?' };
  return { toolCalls: [{ name: 'refund', arguments: { order } }] };
};

/** The agent, with what an earlier process has left unfinished. */
export async function openShop(): Promise<Detent> {
  const detent = createDetent({
    // Leave these two out for a real model, and put its key into the environment.
    model: 'shop/stand-in',
    models: { shop: scriptedModel(Array.from({ length: 10_000 }, () => answer)) },
    tools: { define: [refund], allowed: ['refund'] },
    // Also a manager pays nothing back that they asked for themselves.
    policy: { fourEyes: ['refund'] },
  });
  await detent.runs.resume();
  return detent;
}
