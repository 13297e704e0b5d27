import { field, group } from './field.ts';
import { text } from './values.ts';

/** Kept beside the database; `detent shop import` fills it. */
export const defaultShopFile = '.detent/shop.db';

export const shop = group(
  'A [shop](shop.md) behind the tools of an assistant; without this group there are no shop tools.',
  {
    file: field(text, {
      text: 'The file of the demo shop, relative to the workspace. `:memory:` keeps nothing after the process ends.',
      default: defaultShopFile,
    }),
    currency: field(text, {
      text: 'The currency of the shop, by ISO 4217.',
      default: 'USD',
    }),
    staffAbove: field(text, {
      text: 'The amount above which staff, too, must approve the change of an order, as a decimal.',
      defaultText: 'none',
      example: '500.00',
    }),
    checkoutPage: field(text, {
      text: 'The page of the shop where customers pay; `{id}` stands for the checkout.',
      defaultText: 'a page of this machine',
      example: 'https://shop.example/checkout/{id}',
    }),
  },
);
