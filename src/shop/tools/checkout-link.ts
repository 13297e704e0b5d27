import { ownArguments, type Tool } from '../../protocol/tool.ts';
import { moneyText } from '../money.ts';
import { type ShopParts, shopTool } from './shop-tool.ts';

/** `checkout_link`: the page of the shop where the customer pays. Paying is the customer's own act. */
export function checkoutLinkTool(parts: ShopParts): Tool {
  return shopTool(parts, {
    name: 'checkout_link',
    description:
      'Makes a link to the page of the shop where the customer pays what is in the cart. You never pay and never order: the customer does.',
    parameters: ownArguments({}),
    sideEffect: 'idempotent',
    confirm: false,
    sends: false,
    async answer(_, call) {
      const checkout = await parts.api.checkout(call);
      parts.state.note('checkout', checkout.id, call);
      return {
        text: `The customer pays ${moneyText(checkout.cart.total)} here: ${checkout.url}`,
        data: { checkout },
      };
    },
  });
}
