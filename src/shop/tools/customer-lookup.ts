import { ownArguments, type Tool } from '../../protocol/tool.ts';
import { identify, identityFields } from './identity.ts';
import { type ShopParts, shopTool } from './shop-tool.ts';
import { customerText } from './words.ts';

/** `customer_lookup`: who the customer of this conversation is, with their profile. */
export function customerLookupTool(parts: ShopParts): Tool {
  return shopTool(parts, {
    name: 'customer_lookup',
    description:
      'Identifies the customer of this conversation and shows their profile, payment methods and order ids. Without ' +
      'arguments: the user who is logged in, or who was identified before. A guest gives an e-mail, or name and zip.',
    parameters: ownArguments({}, identityFields),
    sideEffect: 'readonly',
    async answer(args, call) {
      const customer = await identify(parts, args, call);
      return { text: customerText(customer), data: { customer } };
    },
  });
}
