import { type ArgumentsOf, ownArguments, type Tool } from '../../protocol/tool.ts';
import { fields } from '../fields.ts';
import { type CartChange, cartChange } from '../models.ts';
import { deny } from '../rules/denied.ts';
import { type ShopParts, shopTool } from './shop-tool.ts';
import { cartText } from './words.ts';

const parameters = ownArguments(
  { action: { type: 'string', enum: ['view', 'add', 'change', 'remove', 'clear', 'coupon'] } },
  {
    itemId: { ...fields.id, description: 'For add, change and remove' },
    quantity: { ...fields.quantity, description: 'For add (default 1) and change' },
    code: { type: 'string', maxLength: 50, description: 'For coupon; without it, the coupon is taken away' },
  },
);
type Args = ArgumentsOf<typeof parameters>;

/** `cart_manager`: the cart of the user. Prices are those of the shop. */
export function cartManagerTool(parts: ShopParts): Tool {
  return shopTool<Args>(parts, {
    name: 'cart_manager',
    description:
      "Shows or changes the user's cart. Change it only when the user has asked for that very change. It never pays or orders.",
    parameters,
    sideEffect: ({ action }) => (action === 'view' ? 'readonly' : 'idempotent'),
    confirm: ({ action }) => (action === 'view' ? false : 'user'),
    async answer(args, call) {
      const cart =
        args.action === 'view'
          ? await parts.api.cart(call)
          : await parts.api.changeCart(changeOf(args), call);
      if (args.action === 'add') parts.state.note('cart_add', args.itemId ?? '', call);
      return { text: cartText(cart), data: { cart } };
    },
  });
}

function changeOf({ action, itemId, quantity, code }: Args): CartChange {
  const given = {
    add: { action, itemId, quantity: quantity ?? 1 },
    change: { action, itemId, quantity },
    remove: { action, itemId },
    clear: { action },
    coupon: { action, code: code || null },
    view: null,
  }[action];
  const parsed = cartChange.safeParse(given);
  return parsed.success
    ? parsed.data
    : deny('INCOMPLETE', `${action} needs ${action === 'change' ? 'itemId and quantity' : 'itemId'}`);
}
