/* Puts an item into a cart under a key, prints that it is done, and waits to be killed before it can say what came of it. */
import { conversationIn } from './cart-calls.ts';

const [, , file = '', item = '', quantity = '1', key = ''] = process.argv;
const { call } = conversationIn(file);
await call('cart_manager', { action: 'add', itemId: item, quantity: Number(quantity) }, key);
process.stdout.write('written\n');
setInterval(() => {}, 1_000);
