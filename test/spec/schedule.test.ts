import { expect, onTestFinished } from 'vitest';
import { type ChatModel, createDetent, type DetentOptions } from '../../src/index.ts';
import { createScheduler, type FireView, type JobInput, nextTimes } from '../../src/schedule/index.ts';
import { type FakeClock, fakeClock, type ScriptLine, scriptedModel } from '../../src/testing/index.ts';
import { atRest, hour, minute, parrot } from '../schedule/support.ts';
import { gate, temporaryWorkspace, withModel } from '../support/detent.ts';
import { calls, given, payment, saidTo, when } from './support.ts';

// Jobs are rows. Each slot of a job runs once, or is on record with the reason why it did not.

const start = Date.UTC(2026, 0, 1);

/** A job `j`, and a process that runs the schedule. */
async function working(job: Partial<JobInput>, script?: readonly ScriptLine[], options: DetentOptions = {}) {
  const clock = fakeClock(start);
  const asked: string[][] = [];
  const scripted = script ? scriptedModel(script) : parrot();
  const model: ChatModel = {
    generate: (request, settings) => {
      asked.push(saidTo(request));
      return scripted.generate(request, settings);
    },
  };
  const detent = withModel(model, { clock, ...options });
  const printed: string[] = [];
  const scheduler = createScheduler(detent, { timeZone: 'UTC', print: (line) => void printed.push(line) });
  await scheduler.start();
  await scheduler.add({ jobId: 'j', every: '10m', prompt: 'Go.', ...job });
  const rest = () => atRest({ clock, scheduler });
  await rest();
  const slots = async () => (await scheduler.history('j')).toReversed();
  /** The clock goes on to the next slot, and its run ends. */
  const nextSlot = async () => {
    await clock.advance(10 * minute);
    await rest();
  };
  return { clock, detent, scheduler, printed, rest, slots, nextSlot, asked };
}

const words = (slots: readonly FireView[]) => slots.map(({ status, reason }) => reason ?? status);

/** Lets the work of a run settle until a promise says so. */
async function until(clock: FakeClock, is: () => Promise<boolean>): Promise<void> {
  while (!(await is())) await clock.advance(0);
}

given('a job whose time comes', () => {
  when('its runs end', 'each slot is a run of the conversation that the job names', async () => {
    const { detent, slots, nextSlot, asked } = await working({ session: 'j' }, [
      { text: 'one' },
      { text: 'two' },
    ]);
    await nextSlot();
    await nextSlot();
    expect((await slots()).map(({ slot, status }) => [(slot - start) / minute, status])).toEqual([
      [10, 'ok'],
      [20, 'ok'],
    ]);
    const runs = await detent.runs.list({ sessionId: 'j' });
    expect(runs).toHaveLength(2);
    expect(asked[1]).toEqual(['Go.', 'one', 'Go.']);
  });

  when('its prompt names the slot and the last answer', 'they are filled in', async () => {
    const prompt = 'It is {{slot}}; you said {{last}}.';
    const { nextSlot, asked } = await working({ prompt }, [{ text: 'one' }, { text: 'two' }]);
    await nextSlot();
    await nextSlot();
    expect(asked.map((said) => said.at(-1))).toEqual([
      'It is 2026-01-01T00:10:00Z; you said (no result yet).',
      'It is 2026-01-01T00:20:00Z; you said one.',
    ]);
  });

  when('its run fails', 'the slot says so, and the next one runs all the same', async () => {
    const { slots, nextSlot } = await working({}, [
      { error: { message: 'no answer today' } },
      { text: 'two' },
    ]);
    await nextSlot();
    await nextSlot();
    expect(words(await slots())).toEqual(['failed', 'ok']);
  });

  when('its result has targets', 'it is delivered to each, and the delivery is on record', async () => {
    const { printed, slots, nextSlot } = await working({ delivery: 'console' }, [{ text: 'All is well.' }]);
    await nextSlot();
    expect(printed).toEqual(['job j, 2026-01-01T00:10:00Z: ok\nAll is well.']);
    expect((await slots())[0]?.deliveries).toMatchObject([{ status: 'delivered', attempts: 1 }]);
  });
});

given('a job whose slots came while no process ran the schedule', () => {
  const missed = [2, 3, 4, 5, 6, 7];
  const policies: [policy: Partial<JobInput>, promise: string, expected: string[]][] = [
    [{ misfire: 'skip' }, 'none of them runs', missed.map(() => 'missed')],
    [{ misfire: 'once' }, 'the newest one runs for all', [...missed.slice(1).map(() => 'coalesced'), 'ok']],
    [{}, 'the newest one runs for all', [...missed.slice(1).map(() => 'coalesced'), 'ok']],
    [{ misfire: 'all', overlap: 'queue' }, 'each runs', missed.map(() => 'ok')],
    [
      { misfire: 'all', overlap: 'queue', window: '25m' },
      'each runs that is not older than the window',
      ['too_old', 'too_old', 'too_old', 'ok', 'ok', 'ok'],
    ],
  ];
  for (const [policy, promise, expected] of policies)
    when(
      `a process comes an hour later, with ${JSON.stringify(policy)}`,
      `${promise}; all are on record`,
      async () => {
        const { clock, scheduler, rest, slots, nextSlot } = await working(policy);
        await nextSlot();
        await scheduler.close();
        await clock.advance(hour);
        await scheduler.start();
        await clock.advance(0);
        await rest();
        const all = await slots();
        expect(all.map(({ slot }) => (slot - start) / (10 * minute))).toEqual([1, ...missed]);
        expect(words(all)).toEqual(['ok', ...expected]);
      },
    );
});

given('a job whose run is still at work', () => {
  const overlaps: [overlap: NonNullable<JobInput['overlap']>, promise: string, expected: string[]][] = [
    ['skip', 'that slot does not run', ['ok', 'overlap']],
    ['queue', 'that slot runs behind it', ['ok', 'ok']],
    ['cancel-previous', 'the run is cancelled, and that slot runs', ['cancelled', 'ok']],
  ];
  for (const [overlap, promise, expected] of overlaps)
    when(`the next slot comes, with overlap ${overlap}`, promise, async () => {
      const { pass, reached, open } = gate();
      const first: ScriptLine = (_, { signal }) => pass(signal).then(() => ({ text: 'one' }));
      const { clock, slots, rest, scheduler } = await working({ overlap }, [
        first,
        { text: 'two' },
        { text: 'three' },
      ]);
      await clock.advance(10 * minute);
      await reached;
      await clock.advance(10 * minute);
      if (overlap !== 'cancel-previous')
        await until(clock, async () => (await slots()).length > 0 || (await scheduler.get('j')).queued > 0);
      open();
      await rest();
      expect(words(await slots())).toEqual(expected);
    });
});

given('a job whose run asks a person', () => {
  when('the person decides', 'the slot ends with the run', async () => {
    const { pay, paid } = payment();
    const { clock, detent, scheduler, slots, rest } = await working({}, [calls('pay'), { text: 'Paid.' }], {
      tools: { define: [pay] },
    });
    await clock.advance(10 * minute);
    await until(clock, async () => (await scheduler.get('j')).state === 'waiting');
    const { current } = await scheduler.get('j');
    await detent.runs.confirm(current?.runId ?? '', 'c2', { verdict: 'approve' });
    await rest();
    expect([words(await slots()), paid.length]).toEqual([['ok'], 1]);
  });
});

given('a job that a person stops', () => {
  for (const [how, state, reason] of [
    ['pause', 'paused', 'paused'],
    ['disable', 'disabled', undefined],
  ] as const)
    when(
      `it is ${state}, and goes on an hour later`,
      `no slot ran meanwhile; ${reason ? 'they are on record' : 'they do not count'}`,
      async () => {
        const { clock, scheduler, slots, rest } = await working({ misfire: 'skip' });
        await scheduler[how]('j');
        expect((await scheduler.get('j')).state).toBe(state);
        await clock.advance(hour);
        await (how === 'pause' ? scheduler.resume('j') : scheduler.enable('j'));
        await clock.advance(0);
        await rest();
        const found = new Set(words(await slots()));
        expect(found).toEqual(new Set(reason ? [reason] : []));
      },
    );

  when('a person runs it by hand', 'it runs once now, beside its slots', async () => {
    const { clock, scheduler, slots, rest } = await working({});
    await scheduler.run('j');
    await clock.advance(0);
    await rest();
    expect(await slots()).toMatchObject([{ kind: 'manual', status: 'ok' }]);
  });
});

given('a job that fails again and again', () => {
  when('it has failed as often as it may', 'it is paused, and its alert targets are told', async () => {
    const fails: ScriptLine = { error: { message: 'no answer today' } };
    const { scheduler, printed, clock } = await working(
      { pauseAfter: 3, alertAfter: 2, alert: ['console'] },
      [fails, fails, fails],
    );
    for (let n = 0; n < 3; n++) await clock.advance(10 * minute);
    await until(clock, async () => (await scheduler.get('j')).state === 'paused');
    await until(clock, async () => printed.length > 0);
    expect(printed.join('\n')).toContain('no answer today');
  });
});

given('a schedule', () => {
  const clocks: [what: string, cron: string, from: string, expected: string[]][] = [
    [
      'a local time does not come',
      '30 2 * * *',
      '2026-03-28T12:00:00Z',
      ['2026-03-29T01:00:00.000Z', '2026-03-30T00:30:00.000Z'],
    ],
    [
      'a local time comes twice',
      '30 2 * * *',
      '2026-10-24T12:00:00Z',
      ['2026-10-25T00:30:00.000Z', '2026-10-26T01:30:00.000Z'],
    ],
    [
      'it is the last weekday of a month',
      '0 0 9 LW * ?',
      '2026-11-01T00:00:00Z',
      ['2026-11-30T08:00:00.000Z', '2026-12-31T08:00:00.000Z'],
    ],
  ];
  for (const [what, cron, from, expected] of clocks)
    when(what, `"${cron}" in Berlin is due at ${expected[0]}`, async () => {
      const due = nextTimes(cron, { timeZone: 'Europe/Berlin', from: Date.parse(from), count: 2 });
      expect(due.map((at) => new Date(at).toISOString())).toEqual(expected);
    });

  when('the clock is set back by an hour', 'no slot runs twice', async () => {
    const { clock, nextSlot, slots, rest } = await working({});
    await nextSlot();
    await nextSlot();
    await clock.step(-hour);
    await clock.advance(hour - minute);
    await rest();
    const all = (await slots()).map(({ slot }) => slot);
    expect(new Set(all).size).toBe(all.length);
  });
});

given('two processes that run the schedule on one database', () => {
  when('slots come', 'each runs in one of them', async () => {
    const workspace = await temporaryWorkspace();
    const clock = fakeClock(start);
    const asked: string[] = [];
    const open = (name: string) => {
      const model = parrot(() => {
        asked.push(name);
        return { text: 'Done.' };
      });
      const models = { test: model };
      const detent = createDetent({ workspace, env: {}, model: 'test/script', models, clock });
      onTestFinished(() => detent.close());
      return createScheduler(detent, { timeZone: 'UTC', print: () => {} });
    };
    const [first, second] = [open('first'), open('second')];
    await first.start();
    await second.start();
    await first.add({ jobId: 'j', every: '10m', prompt: 'Go.' });
    for (let n = 0; n < 3; n++) {
      await clock.advance(10 * minute);
      await atRest({ clock, scheduler: first });
    }
    expect(words(await second.history('j'))).toEqual(['ok', 'ok', 'ok']);
    expect(asked).toHaveLength(3);
    await first.close();
    await second.close();
  });
});
