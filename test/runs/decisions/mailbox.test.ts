import { describe, expect, it } from 'vitest';
import type { Hints } from '../../../src/engine/bus.ts';
import { fenced } from '../../../src/engine/commit/errors.ts';
import type { Engine } from '../../../src/engine/engine.ts';
import { DetentError } from '../../../src/index.ts';
import { Mailbox } from '../../../src/runs/decisions/mailbox.ts';
import { openInMemory } from '../../../src/store/sql/in-memory.ts';
import { commandInput, put, waitingFor, withRuns } from '../../store/rows.ts';

const hints: Hints = { send() {}, listen() {}, attend() {}, follow: () => () => {} };

/** A mailbox of a process that drives nothing; `living` are the drivers of run r1 that it meets, one after the other. */
async function mailbox(...living: (number | null)[]) {
  const store = await withRuns(openInMemory());
  const engine = { me: null, driverElsewhere: async () => living.shift() ?? null } as unknown as Engine;
  return { store, mailbox: new Mailbox({ store, engine, hints, clock: { now: () => 11 }, report() {} }) };
}

describe('a command to a run that changes hands', () => {
  it('has the outcome that the other process wrote, not that of a second delivery', async () => {
    const { store, mailbox: box } = await mailbox(2, null);
    const done = await box.send(1, 'r1', { kind: 'cancel' }, async (letter) => {
      if (letter === undefined) throw fenced('r1');
      await put(store, 'settleCommand', { id: letter, outcome: '{"value":"there"}', at: 12 });
      return 'here';
    });
    expect(done).toBe('there');
  });

  it('has it, too, when it is refused here because it was delivered there', async () => {
    const { store, mailbox: box } = await mailbox(2, null);
    const done = await box.send(1, 'r1', { kind: 'cancel' }, async (letter) => {
      if (letter === undefined) throw fenced('r1');
      await put(store, 'settleCommand', { id: letter, outcome: '{"value":"there"}', at: 12 });
      throw new DetentError('NOT_WAITING', 'too late');
    });
    expect(done).toBe('there');
  });

  it('is not delivered later when its caller was told that it failed', async () => {
    const { store, mailbox: box } = await mailbox(2, null);
    const sent = box.send(1, 'r1', { kind: 'cancel' }, async (letter) => {
      if (letter === undefined) throw fenced('r1');
      throw new DetentError('NOT_WAITING', 'too late');
    });
    await expect(sent).rejects.toMatchObject({ code: 'NOT_WAITING' });
    expect(await waitingFor(store, 1)).toEqual([]);
    const outcome = JSON.parse((await store.query('findCommand', { id: 1 }))?.outcome ?? '');
    expect(outcome.error).toMatchObject({ code: 'NOT_WAITING', message: 'too late' });
  });

  it('is delivered here, once, when the other process has died', async () => {
    const { store, mailbox: box } = await mailbox(2, null);
    const letters: unknown[] = [];
    const done = await box.send(1, 'r1', { kind: 'cancel' }, async (letter) => {
      letters.push(letter);
      if (letter === undefined) throw fenced('r1');
      return true;
    });
    expect(done).toBe(true);
    expect(letters).toEqual([undefined, 1]);
    expect((await store.query('findCommand', { id: 1 }))?.outcome).toBe('{"value":true}');
  });
});

describe('a caller that closes while another process has its command', () => {
  /** A mailbox that waits for the driver of run r1 now. */
  async function waiting() {
    const { store, mailbox: box } = await mailbox(...Array.from({ length: 50 }, () => 2));
    const sent = box.send(1, 'r1', { kind: 'cancel' }, () => Promise.reject(fenced('r1')));
    sent.catch(() => {});
    while ((await waitingFor(store, 1)).length === 0) await new Promise(setImmediate);
    return { store, box, sent };
  }

  it('takes it back: it is not delivered after its caller was told of an error', async () => {
    const { store, box, sent } = await waiting();
    await box.stop();
    expect(await waitingFor(store, 1)).toEqual([]);
    await expect(sent).rejects.toMatchObject({
      code: 'CLOSED',
      message: expect.stringMatching(/nothing changed/),
    });
    const late = box.send(1, 'r1', { kind: 'cancel' }, () => Promise.reject(fenced('r1')));
    await expect(late).rejects.toMatchObject({ code: 'CLOSED' });
    expect(await waitingFor(store, 1)).toEqual([]);
  });

  it('gets its outcome if it was delivered already', async () => {
    const { store, box, sent } = await waiting();
    await put(store, 'settleCommand', { id: 1, outcome: '{"value":"there"}', at: 12 });
    await box.stop();
    expect(await sent).toBe('there');
  });
});

describe('a command that reaches a driver which closes', () => {
  it.each([
    ['CLOSED', new DetentError('CLOSED', 'this Detent was closed')],
    ['FENCED', fenced('r1')],
  ])('waits for the next driver of the run after %s', async (_, error) => {
    const store = await withRuns(openInMemory());
    await put(store, 'passRun', { pk: 1, driver: 7 });
    await put(store, 'insertCommand', commandInput());
    const engine = { me: 7 } as unknown as Engine;
    await new Mailbox({ store, engine, hints, clock: { now: () => 11 }, report() {} }).deliver(() =>
      Promise.reject(error),
    );
    expect((await store.query('findCommand', { id: 1 }))?.outcome).toBeNull();
    await new Mailbox({ store, engine, hints, clock: { now: () => 11 }, report() {} }).deliver(
      async () => 'done',
    );
    expect((await store.query('findCommand', { id: 1 }))?.outcome).toBe('{"value":"done"}');
  });
});

describe('a command of a row that this program cannot read', () => {
  it.each([
    ['of a kind that it does not know', 'promote', '{}'],
    ['with a name that every object has', 'constructor', '{}'],
    ['to decide on a call that is no number', 'confirm', '{"call":"1","decision":{"verdict":"approve"}}'],
    ['without a decision', 'reconcile', '{"call":1}'],
    ['with a reason that is no text', 'cancel', '{"reason":{"toString":1}}'],
    ['without a text', 'message', '{"parts":[]}'],
    [
      'with a part that has no data',
      'message',
      '{"text":"","parts":[{"type":"image","mimeType":"image/png"}]}',
    ],
    ['that is no object', 'cancel', '[]'],
  ])('is refused and not performed: one %s', async (_what, kind, body) => {
    const store = await withRuns(openInMemory());
    await put(store, 'passRun', { pk: 1, driver: 7 });
    const engine = { me: 7 } as unknown as Engine;
    await put(store, 'insertCommand', commandInput({ kind, body }));
    const performed: string[] = [];
    await new Mailbox({ store, engine, hints, clock: { now: () => 11 }, report() {} }).deliver(
      async (_tenant, _run, command) => {
        performed.push(command.kind);
      },
    );
    expect(performed).toEqual([]);
    const { error } = JSON.parse((await store.query('findCommand', { id: 1 }))?.outcome ?? '{}');
    expect(error.code).toBe('UNKNOWN_COMMAND');
    expect(await store.query('listCommandsFor', { driver: 7 })).toEqual([]);
  });
});
