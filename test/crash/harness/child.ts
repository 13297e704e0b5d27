import { type Order, obeyOrder } from './obey-order.ts';

/** The process of one order: the harness counts the boundaries that it prints, and kills at each. */
const passed = await obeyOrder(JSON.parse(process.argv[2] ?? '{}') as Order);
process.stdout.write(`${JSON.stringify(passed)}\n`);
