import { type ArgumentsOf, closed, ownArguments, type Tool } from '../../protocol/tool.ts';
import { fields } from '../fields.ts';
import {
  type Address,
  type Customer,
  cancelReasons,
  type Order,
  type OrderChange,
  orderChange,
} from '../models.ts';
import { moneyText } from '../money.ts';
import { deny, ShopDenied } from '../rules/denied.ts';
import { planOrderChange } from '../rules/order-rules.ts';
import type { ShopWrite } from '../shop-api.ts';
import { hashOf } from '../state/once.ts';
import { requireCustomer } from './identity.ts';
import { ownOrder } from './order-query.ts';
import { type ShopAnswer, type ShopParts, shopTool } from './shop-tool.ts';
import { customerText, orderText } from './words.ts';

const parameters = ownArguments(
  {
    action: {
      type: 'string',
      enum: ['cancel', 'items', 'address', 'payment', 'return', 'exchange', 'default_address'],
    },
  },
  {
    orderId: { ...fields.id, description: 'For all but default_address' },
    reason: { type: 'string', enum: cancelReasons, description: 'For cancel' },
    itemIds: {
      ...fields.ids,
      description:
        'For items, return and exchange: all items that are meant, one that is ordered twice twice',
    },
    newItemIds: {
      ...fields.ids,
      description: 'For items and exchange: in the order of itemIds, an available item of the same product',
    },
    paymentMethodId: {
      ...fields.id,
      description: 'For payment, items, return and exchange: pays, or gets the refund',
    },
    address: {
      ...closed(fields.address),
      description: 'For address and default_address',
    },
    approval: { type: 'string', enum: ['staff'], description: 'Only after a result said NEEDS_STAFF' },
  },
);
type Args = ArgumentsOf<typeof parameters>;

/** `order_change`: changes an order of the customer, within the rules of the shop. */
export function orderChangeTool(parts: ShopParts): Tool {
  return shopTool<Args>(parts, {
    name: 'order_change',
    description:
      'Changes an order of the customer: cancel, items, address or payment of a pending order; return or exchange of a ' +
      'delivered one; or default_address of the customer. Items of an order change once: collect all of them first. ' +
      'Tell the customer all details before; they are asked to confirm.',
    parameters,
    sideEffect: 'idempotent',
    confirm: ({ approval }) => approval ?? 'user',
    async answer(args, call) {
      const customer = await requireCustomer(parts, call);
      if (args.action === 'default_address') return moved(parts, customer, args.address, call);
      const change = changeOf(args);
      const order = await ownOrder(parts, change.orderId, customer.id, call);
      return changed(
        parts,
        { ...change, orderId: order.id },
        args.approval === 'staff',
        { order, customer },
        call,
      );
    },
  });
}

async function moved(
  parts: ShopParts,
  customer: Customer,
  to: Address | undefined,
  call: ShopWrite,
): Promise<ShopAnswer> {
  if (to === undefined) return deny('INCOMPLETE', 'default_address needs address');
  const after = await parts.api.changeAddress(to, customer.id, call);
  return { text: `Done.\n${customerText(after)}`, data: { customer: after } };
}

async function changed(
  { api, state, staffAbove }: ShopParts,
  change: OrderChange,
  isStaffs: boolean,
  { order, customer }: { order: Order; customer: Customer },
  call: ShopWrite,
): Promise<ShopAnswer> {
  const hash = hashOf([customer.id, change]);
  if (!state.hasBegun(hash, call)) {
    const wanted = 'newItemIds' in change ? [...new Set(change.newItemIds)] : [];
    const products = (await Promise.all(wanted.map((id) => api.product(id, call)))).filter(
      (it) => it !== null,
    );
    const { amount } = planOrderChange(change, { order, customer, products });
    const needsStaff =
      staffAbove !== null && (amount.currency !== staffAbove.currency || amount.minor > staffAbove.minor);
    if (needsStaff && !isStaffs) {
      state.agree(hash, call);
      deny(
        'NEEDS_STAFF',
        `the customer agreed, but staff must approve ${moneyText(amount)}: call again with the same arguments and approval "staff"`,
      );
    }
    if (isStaffs && !(needsStaff && state.hasAgreed(hash, call)))
      deny('CUSTOMER_FIRST', 'the customer decides first: call without approval');
    const isOnce = ['items', 'exchange', 'return'].includes(change.action);
    state.begin(hash, isOnce ? order.id : null, call);
  }
  try {
    const after = await api.changeOrder(change, customer.id, call);
    return {
      text: `Done. ${whatFollows(change, order, after, customer)}\n${orderText(after)}`,
      data: { order: after },
    };
  } catch (error) {
    if (error instanceof ShopDenied) state.refused(call);
    throw error;
  }
}

function whatFollows(
  change: OrderChange,
  before: Order,
  { payments, exchanged }: Order,
  { paymentMethods }: Customer,
): string {
  const last = payments.at(-1);
  const refunded = paymentMethods.find(({ id }) => id === last?.methodId);
  const when = refunded?.kind === 'gift_card' ? 'at once' : 'in 5 to 7 business days';
  switch (change.action) {
    case 'cancel':
      return `${moneyText(before.total)} go back to the original payment method, ${when}.`;
    case 'items':
      return last ? `Price difference: ${last.kind} ${moneyText(last.amount)} by ${last.methodId}.` : '';
    case 'exchange':
      return exchanged
        ? `Price difference: ${moneyText(exchanged.difference)} by ${exchanged.methodId}. An e-mail says how to return the items.`
        : '';
    case 'return':
      return 'An e-mail says how to return the items.';
    case 'payment':
      return 'The original payment method gets its refund, a gift card at once, others in 5 to 7 business days.';
    case 'address':
      return '';
  }
}

function changeOf({
  action,
  orderId,
  reason,
  itemIds,
  newItemIds,
  paymentMethodId: methodId,
  address,
}: Args): OrderChange {
  const given = {
    cancel: { action, orderId, reason },
    address: { action, orderId, address },
    payment: { action, orderId, methodId },
    items: { action, orderId, itemIds, newItemIds, methodId },
    return: { action, orderId, itemIds, methodId },
    exchange: { action, orderId, itemIds, newItemIds, methodId },
    default_address: null,
  }[action];
  const parsed = orderChange.safeParse(given);
  if (parsed.success) return parsed.data;
  const missing = [...new Set(parsed.error.issues.map(({ path }) => String(path[0])))];
  const fields = missing.map((field) => (field === 'methodId' ? 'paymentMethodId' : field));
  return deny('INCOMPLETE', `${action} needs ${fields.join(', ')}`);
}
