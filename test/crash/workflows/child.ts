import { obeyWorkflowOrder } from './obey.ts';
import type { WorkflowOrder } from './order.ts';

/** The process of one order: the harness counts the boundaries that it prints, and kills at each. */
const passed = await obeyWorkflowOrder(JSON.parse(process.argv[2] ?? '{}') as WorkflowOrder);
process.stdout.write(`${JSON.stringify(passed)}\n`);
