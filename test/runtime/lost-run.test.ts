import { describe, expect, it, onTestFinished } from 'vitest';
import type { Detent } from '../../src/index.ts';
import { createDetent } from '../../src/runtime/create-detent.ts';
import { openInMemory } from '../../src/store/sql/in-memory.ts';
import { scriptedModel } from '../../src/testing/index.ts';
import { modelOptions } from '../support/detent.ts';

describe('a run that a second Detent takes over', () => {
  /** A Detent that waits for its model's answer, and the function that gives the answer. */
  async function asking() {
    const store = openInMemory();
    onTestFinished(() => store.close());
    let answer = () => {};
    let asked = () => {};
    const isAsked = new Promise<void>((resolve) => {
      asked = resolve;
    });
    let signal: AbortSignal | undefined;
    const slow = scriptedModel([
      (_request, options) => {
        signal = options.signal;
        asked();
        return new Promise((resolve) => {
          answer = () => resolve({ text: 'late' });
        });
      },
    ]);
    const reports: unknown[] = [];
    const first = opened(
      createDetent(modelOptions(slow, { store, onError: (error) => reports.push(error) })),
    );
    const handle = first.run('hello');
    const result = handle.result;
    result.catch(() => {});
    const heard = (async () => {
      for await (const _ of handle.events);
    })();
    heard.catch(() => {});
    await isAsked;
    const second = opened(createDetent(modelOptions(scriptedModel([{ text: 'in time' }]), { store })));
    return { second, handle, result, heard, reports, answer: () => answer(), aborted: () => signal?.aborted };
  }

  it('ends the handle of the first with the reason once its model answers', async () => {
    const { second, handle, result, heard, reports, answer } = await asking();
    await second.runs.resume({ runId: handle.runId });
    expect((await second.runs.attach(handle.runId).result).text).toBe('in time');
    answer();
    await expect(result).rejects.toMatchObject({ code: 'FENCED', details: { runId: handle.runId } });
    await expect(heard).rejects.toMatchObject({ code: 'FENCED' });
    expect(reports).toMatchObject([{ code: 'FENCED' }]);
  });

  it('ends it when the second has cancelled the run', async () => {
    const { second, handle, result, answer } = await asking();
    await second.runs.cancel(handle.runId);
    answer();
    await expect(result).rejects.toMatchObject({ code: 'FENCED' });
  });

  it('ends it, and aborts the call of the model, when the first sends a command', async () => {
    const { second, handle, result, aborted } = await asking();
    await second.runs.resume({ runId: handle.runId });
    await expect(handle.steer('and now?')).rejects.toMatchObject({ code: 'FENCED' });
    await expect(result).rejects.toMatchObject({ code: 'FENCED' });
    expect(aborted()).toBe(true);
  });
});

function opened(detent: Detent): Detent {
  onTestFinished(() => detent.close());
  return detent;
}
