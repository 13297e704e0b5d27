import type { Cart } from '../models.ts';
import type { Kept } from '../state/once.ts';
import { type CartBody, type CartStep, differences, pieces } from './cart-lines.ts';
import { cartOf } from './replies.ts';
import type { CartReply } from './wire.ts';

/** The update that a cart waits for. It is kept before it is sent, so that whoever comes next can bring it to its end. */
export interface Pending {
  key: string;
  request: string;
  step: CartStep;
  /** Null: the cart is created. */
  cart: string | null;
  /** The cart as it was when the update was made. */
  base: CartBody;
  body: CartBody;
  /** How often it was made again, because the cart had been changed at the shop itself. */
  round: number;
}

/** The shop had changed by itself between the reading and the update, and the update has taken that away. */
export function isOverwritten(before: CartReply, after: CartReply, { base }: Pending): boolean {
  const text = (lines: Parameters<typeof pieces>[0]) => JSON.stringify([...pieces(lines)].sort());
  return ![text(base.line_items), text(after.line_items)].includes(text(before.line_items));
}

/** What the shop made of an update: it may have fewer pieces. */
export function answerTo({ step, body }: Pending, after: CartReply): Kept {
  const notes = differences(body.line_items, after.line_items);
  const words = (after.messages ?? []).map(({ content }) => content).join(' ') || notes.join('; ');
  if ((step.action === 'add' || step.action === 'change') && !pieces(after.line_items).has(step.itemId))
    return { denied: 'NOT_AVAILABLE', words: words.slice(0, 300) };
  if (step.action === 'coupon' && step.code !== null) {
    const code = step.code.toLowerCase();
    if (!after.discounts?.applied?.some((it) => it.code?.toLowerCase() === code))
      return {
        denied: 'COUPON_NOT_VALID',
        words: words.slice(0, 300) || 'the shop does not take this coupon',
      };
  }
  return { ok: cartOf(after, notes) };
}

export function noted(cart: Cart, notes: ReadonlySet<string>): Cart {
  return notes.size === 0 ? cart : { ...cart, notes: [...notes, ...(cart.notes ?? [])] };
}
