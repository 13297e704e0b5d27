import { describe, expect, it } from 'vitest';
import { createEmbeddedDispatcher, type Ticket } from '../../src/engine/dispatcher.ts';
import { quiet } from './print-shop.ts';

const ticket = (runId: string): Ticket => ({ tenant: 1, runId, session: 1 });

describe('the dispatcher of one process', () => {
  it('hands out what comes, each once', () => {
    const dispatcher = createEmbeddedDispatcher();
    const taken: string[] = [];
    dispatcher.start(async ({ runId }) => void taken.push(runId));
    dispatcher.wake(ticket('a'));
    dispatcher.wake(ticket('b'));
    expect(taken).toEqual(['a', 'b']);
  });

  it('keeps what comes before it starts, in order, and a run only once', () => {
    const dispatcher = createEmbeddedDispatcher();
    for (const id of ['a', 'b', 'a']) dispatcher.wake(ticket(id));
    const taken: string[] = [];
    dispatcher.start(async ({ runId }) => void taken.push(runId));
    expect(taken).toEqual(['a', 'b']);
  });

  it('waits for what is being taken when it stops, and hands out no more', async () => {
    const dispatcher = createEmbeddedDispatcher();
    const taken: string[] = [];
    let finish = () => {};
    dispatcher.start(({ runId }) => {
      taken.push(runId);
      return new Promise((resolve) => {
        finish = resolve;
      });
    });
    dispatcher.wake(ticket('a'));
    let stopped = false;
    const stopping = dispatcher.stop().then(() => {
      stopped = true;
    });
    dispatcher.wake(ticket('b'));
    await quiet(2);
    expect([taken, stopped]).toEqual([['a'], false]);
    finish();
    await stopping;
  });
});
