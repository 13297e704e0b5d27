import { obeyJobOrder } from './obey.ts';
import type { JobOrder } from './order.ts';

/** The process of one order: the harness counts the boundaries that it prints, and kills at each. */
const passed = await obeyJobOrder(JSON.parse(process.argv[2] ?? '{}') as JobOrder);
process.stdout.write(`${JSON.stringify(passed)}\n`);
