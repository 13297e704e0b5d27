import { describe, expect, it, onTestFinished } from 'vitest';
import { openDriver } from '../../../examples/react-native/core/driver.ts';
import { onDevice } from '../../../examples/react-native/core/on-device.ts';
import { returnWorkflow } from '../../../examples/react-native/workflow/return.machine.ts';
import { openReturns } from '../../../examples/react-native/workflow/returns.ts';
import { isWorkflowView } from '../../../src/core/workflows.ts';
import { fakeClock } from '../../../src/testing/index.ts';
import { checkWorkflow } from '../../../src/workflow/check/check-workflow.ts';
import { temporaryFile } from '../../store/support.ts';
import { phoneDatabase, scriptedPhone } from './phone.ts';

const day = 86_400_000;

/** A phone whose app may be killed, and whose network may be gone. */
async function phone(lines: readonly string[] = ['The cup is broken.']) {
  const file = await temporaryFile();
  const clock = fakeClock();
  const { speak } = scriptedPhone(lines);
  const registered = new Map<string, string>();
  const tries: string[] = [];
  const network = { isThere: true };
  const open = () => {
    const app = openReturns({ storage: openDriver(phoneDatabase(file)), clock }, onDevice(speak), {
      async register(order, reason, key) {
        tries.push(key);
        if (!network.isThere) throw new Error('no network');
        registered.set(key, `${order}: ${reason}`);
        return `return of ${order}`;
      },
    });
    onTestFinished(() => app.core.close());
    return app;
  };
  return { clock, registered, tries, network, open };
}

const wish = { order: 'A7', complaint: 'it came in two pieces' };

describe('the React Native example with a workflow', () => {
  it('has a chart without a fault', () => {
    expect(checkWorkflow(returnWorkflow({ register: async () => '' }))).toEqual([]);
  });

  it('asks, goes on after the process was gone, and registers under one key when the network is back', async () => {
    const { clock, registered, tries, network, open } = await phone();
    const first = open();
    const { result, runId } = first.workflows.start('return', wish, { idempotencyKey: 'return A7' });
    const { pending } = await result;
    expect(pending.map(({ why }) => why)).toEqual(['Send A7 back? The cup is broken.']);
    await first.core.close();

    const { core, workflows } = open();
    expect(await core.runs.resume()).toContain(runId);
    expect(await workflows.start('return', wish, { idempotencyKey: 'return A7' }).started).toBe(runId);
    network.isThere = false;
    await workflows.answer(runId, 'confirm', { approved: true });
    await core.runs.attach(runId).result;
    await clock.advance(2 * 60_000);
    await core.runs.attach(runId).result;
    network.isThere = true;
    await clock.advance(day);
    const view = await core.runs.attach(runId).result;
    expect([view.status, isWorkflowView(view) && view.workflow.state]).toEqual(['done', 'registered']);
    expect(view.output).toEqual({ outcome: 'registered', words: 'return of A7' });
    expect([...registered.values()]).toEqual(['A7: The cup is broken.']);
    expect(tries.length).toBeGreaterThan(2);
    expect(new Set(tries).size).toBe(1);
  });

  it.each([
    ['says no', false],
    ['says nothing for three days, with the app closed', null],
  ])('keeps the order of a customer who %s', async (_, approved) => {
    const { clock, tries, open } = await phone();
    const first = open();
    const { result, runId } = first.workflows.start('return', wish);
    await result;
    if (approved !== null) await first.workflows.answer(runId, 'confirm', { approved });
    await first.core.close();
    await clock.advance(3 * day);
    const { core } = open();
    await core.runs.resume();
    expect((await core.runs.attach(runId).result).output).toMatchObject({ outcome: 'kept' });
    expect(tries).toEqual([]);
  });
});
