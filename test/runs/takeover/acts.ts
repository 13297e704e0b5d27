import * as z from 'zod';
import { createDetent, type Detent, type DetentOptions, defineTool } from '../../../src/index.ts';
import { assemble } from '../../../src/runtime/create-detent.ts';
import type { Store } from '../../../src/store/store.ts';
import { scriptedModel } from '../../../src/testing/index.ts';

export const ann = { principal: { userId: 'ann' }, sessionId: 's' };
const by = 'bob';

/** A call that must not run: nobody approves it. */
export const pays = { toolCalls: [{ name: 'pay', arguments: {} }] };

const pay = defineTool({
  name: 'pay',
  description: 'Pays.',
  parameters: z.strictObject({}),
  sideEffect: 'unsafe',
  confirm: true,
  run: () => 'paid',
});

export function open(
  workspace: string,
  script: readonly object[],
  decorate?: (store: Store) => Store,
): Detent {
  const options: DetentOptions = {
    workspace,
    env: {},
    model: 'test/script',
    models: { test: scriptedModel(script) },
    tools: { define: [pay] },
    onError: () => {},
  };
  return decorate ? assemble(options, { store: decorate }) : createDetent(options);
}

/** What a customer and a person of the staff do. Asked again it is done once: a client has a key, a person looks first. */
export const acts: readonly ((detent: Detent) => Promise<unknown>)[] = [
  (detent) => detent.sessions.takeOver('s', { by }),
  (detent) => detent.run('a person?', { ...ann, idempotencyKey: 'r2' }).started,
  async (detent) => {
    const { conversation } = await detent.sessions.show('s');
    if (conversation.every(({ from }) => from !== 'staff'))
      await detent.sessions.say('s', 'I am Bob.', { by });
  },
  (detent) => detent.run('and the agent?', { ...ann, idempotencyKey: 'r4' }).started,
  async (detent) => {
    const { runId } = await detent.sessions.giveBack('s', { by });
    if (runId !== null) await detent.runs.attach(runId).result;
  },
];
