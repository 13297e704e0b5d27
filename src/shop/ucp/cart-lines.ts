import type { CartChange } from '../models.ts';
import { deny } from '../rules/denied.ts';
import type { CartReply } from './wire.ts';

/** The whole of a cart as a request says it: an update replaces all of it. */
export interface CartBody {
  line_items: readonly RequestLine[];
  context?: unknown;
  signals?: unknown;
  buyer?: unknown;
  discounts?: { codes: readonly string[] };
}

interface RequestLine {
  id?: string;
  item: { id: string };
  quantity: number;
  parent_id?: string;
}

/** `move`: what a guest had, when they have logged in. */
export type CartStep =
  | CartChange
  | { action: 'move'; lines: readonly { itemId: string; quantity: number }[] };

export const emptyBody: CartBody = { line_items: [] };

/** What must be sent again so that an update loses nothing of a cart. */
export function bodyOf({ line_items, context, signals, buyer, discounts }: CartReply): CartBody {
  const codes = (discounts?.applied ?? []).flatMap(({ code }) => code ?? []);
  return {
    line_items: line_items.map(({ id, item, quantity, parent_id }) => ({
      id,
      item: { id: item.id },
      quantity,
      ...(parent_id !== undefined && { parent_id }),
    })),
    ...(context !== undefined && { context }),
    ...(signals !== undefined && { signals }),
    ...(buyer !== undefined && { buyer }),
    ...(discounts !== undefined && { discounts: { codes } }),
  };
}

/** The cart after a step. @throws ShopDenied `NOT_IN_CART`. */
export function stepped(body: CartBody, step: CartStep): CartBody {
  const lines = body.line_items;
  switch (step.action) {
    case 'add':
      return { ...body, line_items: added(lines, step) };
    case 'move':
      return { ...body, line_items: step.lines.reduce(added, lines) };
    case 'change': {
      const line = lineOf(lines, step.itemId);
      return {
        ...body,
        line_items: lines.map((it) => (it === line ? { ...it, quantity: step.quantity } : it)),
      };
    }
    case 'remove': {
      const { id } = lineOf(lines, step.itemId);
      const gone = new Set([id]);
      for (const { id, parent_id } of lines) if (parent_id !== undefined && gone.has(parent_id)) gone.add(id);
      return { ...body, line_items: lines.filter((line) => !gone.has(line.id)) };
    }
    case 'clear':
      return { ...body, line_items: [] };
    case 'coupon':
      return { ...body, discounts: { codes: step.code === null ? [] : [step.code] } };
  }
}

function added(
  lines: readonly RequestLine[],
  { itemId, quantity }: { itemId: string; quantity: number },
): readonly RequestLine[] {
  const line = lines.find((it) => it.item.id === itemId && it.parent_id === undefined);
  return line
    ? lines.map((it) => (it === line ? { ...it, quantity: it.quantity + quantity } : it))
    : [...lines, { item: { id: itemId }, quantity }];
}

/** A body with what others did meanwhile: the pieces between the cart that it was made on and the one that it met. */
export function merged(body: CartBody, base: CartBody, met: CartBody): CartBody {
  const [was, is] = [pieces(base.line_items), pieces(met.line_items)];
  let lines = body.line_items;
  for (const itemId of new Set([...was.keys(), ...is.keys()])) {
    const quantity = (is.get(itemId) ?? 0) - (was.get(itemId) ?? 0);
    if (quantity > 0) lines = added(lines, { itemId, quantity });
    if (quantity < 0) lines = taken(lines, itemId, -quantity);
  }
  return { ...body, line_items: lines };
}

function taken(lines: readonly RequestLine[], itemId: string, quantity: number): readonly RequestLine[] {
  let left = quantity;
  return lines.flatMap((line) => {
    if (line.item.id !== itemId || left === 0) return line;
    const less = Math.min(left, line.quantity);
    left -= less;
    return less === line.quantity ? [] : { ...line, quantity: line.quantity - less };
  });
}

function lineOf(lines: readonly RequestLine[], itemId: string): RequestLine {
  return (
    lines.find((it) => it.item.id === itemId && it.parent_id === undefined) ??
    deny('NOT_IN_CART', `${itemId} is not in the cart`)
  );
}

/** Pieces of each item. */
export function pieces(lines: readonly { item: { id: string }; quantity: number }[]): Map<string, number> {
  const found = new Map<string, number>();
  for (const { item, quantity } of lines) found.set(item.id, (found.get(item.id) ?? 0) + quantity);
  return found;
}

/** Where what the shop has is not what was sent, in words. */
export function differences(
  sent: readonly RequestLine[],
  has: readonly { item: { id: string }; quantity: number }[],
): string[] {
  const found = pieces(has);
  return [...pieces(sent)].flatMap(([item, wanted]) => {
    const got = found.get(item) ?? 0;
    return got === wanted ? [] : `it has ${got} of ${item}, not ${wanted}`;
  });
}
