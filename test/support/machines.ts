import { mkdir, writeFile } from 'node:fs/promises';
import type { Workspace } from './cli.ts';

/** Writes modules into the `machines/` of a workspace, by the names of their machines. */
export async function writeMachines(
  workspace: Workspace,
  machines: Readonly<Record<string, string>>,
): Promise<void> {
  await mkdir(workspace.path('machines'), { recursive: true });
  for (const [name, content] of Object.entries(machines))
    await writeFile(workspace.path(`machines/${name.includes('.') ? name : `${name}.machine.ts`}`), content);
}

/** A refund that a person approves and a step pays; an event recalls it. Its input is checked. */
export const refund = `
import { setup } from 'xstate';
import { z } from 'zod';
import { ask, step, workflow } from 'detent/workflow';

const chart = setup({
  types: { input: {} as { order: string }, context: {} as { order: string }, events: {} as { type: 'order.recalled' } },
  actors: {
    approve: ask({ question: ({ order }: { order: string }) => 'Refund ' + order + '?' }),
    pay: step({ sideEffect: 'idempotent', run: ({ order }: { order: string }) => 'paid ' + order }),
  },
  guards: { isApproved: (_, { approved }: { approved: boolean }) => approved },
}).createMachine({
  id: 'refund',
  version: '1',
  description: 'A refund that a person approves.',
  context: ({ input }) => ({ order: input.order }),
  initial: 'approving',
  output: ({ event }) => event.output,
  states: {
    approving: {
      invoke: {
        id: 'approval',
        src: 'approve',
        input: ({ context }) => context,
        onDone: [
          { guard: { type: 'isApproved', params: ({ event }) => event.output }, target: 'paying' },
          { target: 'refused' },
        ],
        onError: 'refused',
      },
      on: { 'order.recalled': 'refused' },
    },
    paying: {
      invoke: { id: 'pay', src: 'pay', input: ({ context }) => context, onDone: 'paid', onError: 'refused' },
    },
    paid: { type: 'final', output: 'paid' },
    refused: { type: 'final', output: 'refused' },
  },
});

export default workflow(chart, { input: z.object({ order: z.string() }) });
`;

/** A chart that the check refuses: it invokes a promise. */
export const faulty = `
import { fromPromise, setup } from 'xstate';
import { workflow } from 'detent/workflow';

const actors = { look: fromPromise(async () => 1) };
const looking = { invoke: { id: 'look', src: 'look', onDone: 'over', onError: 'over' } } as const;
export default workflow(
  setup({ actors }).createMachine({
    id: 'faulty',
    version: '1',
    initial: 'looking',
    states: { looking, over: { type: 'final' } },
  }),
);
`;
