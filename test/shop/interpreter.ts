/*
 * A plain reading of policy.md over the JSON of the fixture. It shares no code with src/shop: amounts are thousandths, found by
 * rounding, so that they are whole in each currency.
 */

export interface Json {
  // biome-ignore lint/suspicious/noExplicitAny: the JSON of the fixture, as it is
  [key: string]: any;
}

const parts = (amount: number) => Math.round(amount * 1000);
const amountOf = (c: number) => c / 1000;

/** Performs one action of a task on the shop, or throws why policy.md forbids it. */
export function perform(db: Json, name: string, args: Json): void {
  const { orders, products, users } = db;
  if (name === 'modify_user_address') {
    const { user_id, ...address } = args;
    users[user_id].address = address;
    return;
  }
  const order = orders[args.order_id];
  const user = users[order.user_id];
  const methods = user.payment_methods;
  const isCard = (id: string) => methods[id]?.source === 'gift_card';
  const credit = (id: string, c: number) => {
    if (isCard(id)) methods[id].balance = amountOf(parts(methods[id].balance) + c);
  };
  const covers = (id: string, c: number) => {
    if (!methods[id]) throw new Error('unknown payment method');
    if (isCard(id) && parts(methods[id].balance) < c) throw new Error('balance');
  };
  const must = (status: string) => {
    if (order.status !== status) throw new Error(`is ${order.status}`);
  };
  /** The new items, and what they cost more. */
  const swap = () => {
    if (args.item_ids.length !== args.new_item_ids.length) throw new Error('counts differ');
    const left = [...order.items];
    let difference = 0;
    const swapped = args.item_ids.map((id: string, n: number) => {
      const at = left.findIndex((item: Json) => item?.item_id === id);
      if (at < 0) throw new Error('not in the order');
      const item = left[at];
      left[at] = null;
      const to = products[item.product_id].variants[args.new_item_ids[n]];
      if (!to?.available || to.item_id === id) throw new Error('no such option');
      difference += parts(to.price) - parts(item.price);
      return { item, to };
    });
    covers(args.payment_method_id, difference);
    return { swapped, difference };
  };
  switch (name) {
    case 'cancel_pending_order': {
      must('pending');
      if (!['no longer needed', 'ordered by mistake'].includes(args.reason)) throw new Error('reason');
      // After a change of payment, the first has its refund.
      const paid = order.payment_history.findLast((it: Json) => it.transaction_type === 'payment');
      order.status = 'cancelled';
      order.cancel_reason = args.reason;
      order.payment_history.push({ ...paid, transaction_type: 'refund' });
      credit(paid.payment_method_id, parts(paid.amount));
      return;
    }
    case 'modify_pending_order_address': {
      must('pending');
      const { order_id: _, ...address } = args;
      order.address = address;
      return;
    }
    case 'modify_pending_order_payment': {
      must('pending');
      const [paid, ...more] = order.payment_history;
      if (more.length > 0 || paid.payment_method_id === args.payment_method_id) throw new Error('payment');
      const total = parts(paid.amount);
      covers(args.payment_method_id, total);
      order.payment_history.push(
        { transaction_type: 'payment', amount: paid.amount, payment_method_id: args.payment_method_id },
        { transaction_type: 'refund', amount: paid.amount, payment_method_id: paid.payment_method_id },
      );
      credit(args.payment_method_id, -total);
      credit(paid.payment_method_id, total);
      return;
    }
    case 'modify_pending_order_items': {
      must('pending');
      const { swapped, difference } = swap();
      for (const { item, to } of swapped)
        Object.assign(item, { item_id: to.item_id, price: to.price, options: to.options });
      order.status = 'pending (items modifed)';
      order.payment_history.push({
        transaction_type: difference > 0 ? 'payment' : 'refund',
        amount: amountOf(Math.abs(difference)),
        payment_method_id: args.payment_method_id,
      });
      credit(args.payment_method_id, -difference);
      return;
    }
    case 'exchange_delivered_order_items': {
      must('delivered');
      const { difference } = swap();
      order.status = 'exchange requested';
      order.exchange_items = args.item_ids.toSorted();
      order.exchange_new_items = args.new_item_ids.toSorted();
      order.exchange_payment_method_id = args.payment_method_id;
      order.exchange_price_difference = amountOf(difference);
      return;
    }
    case 'return_delivered_order_items': {
      must('delivered');
      const left = order.items.map((item: Json) => item.item_id);
      for (const id of args.item_ids) {
        if (!left.includes(id)) throw new Error('not in the order');
        left.splice(left.indexOf(id), 1);
      }
      covers(args.payment_method_id, 0);
      if (
        !isCard(args.payment_method_id) &&
        order.payment_history[0].payment_method_id !== args.payment_method_id
      )
        throw new Error('refund');
      order.status = 'return requested';
      order.return_items = args.item_ids.toSorted();
      order.return_payment_method_id = args.payment_method_id;
      return;
    }
    default:
      throw new Error(`unknown action ${name}`);
  }
}
