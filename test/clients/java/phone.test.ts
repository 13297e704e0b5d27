import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { noJdk } from '../../../scripts/build-java.ts';
import type { ScriptLine } from '../../../src/testing/index.ts';
import { wireTo } from '../../client/support.ts';
import { type Served, serve, served } from '../../gateway/support.ts';
import { scripted, temporaryWorkspace, tool } from '../../support/detent.ts';
import { describeWith } from '../../support/needs.ts';
import { inSizes } from '../../support/size.ts';
import { defaultPath, noProguard, Phones, type Said, shrunkJava, tokensOf } from './support.ts';

const pay = () => tool('pay', { sideEffect: 'unsafe', confirm: 'user', run: () => 'paid' });

/** A JVM for all tests that do not kill theirs. */
let shared: Phones | null = null;

async function sharedPhones(): Promise<Phones> {
  if (shared) await shared.reset();
  shared ??= new Phones(classPath, true);
  return shared;
}

/** A customer's app with one engine, `chat`. @param isKilled whether the test kills it */
async function phoneOf(gateway: Served, options: Record<string, unknown> = {}, isKilled = false) {
  const tokens = await tokensOf(() => gateway.token({ scopes: ['talk'], userId: 'bob' }));
  const phones = isKilled ? new Phones(classPath) : await sharedPhones();
  const folder = await temporaryWorkspace();
  const open = { do: 'open', client: 'phone', url: gateway.url, folder, tokens: tokens.url, ...options };
  const took = await phones.ask<[number, number]>(open);
  await phones.ask({ do: 'engine', client: 'phone', engine: 'chat', session: 'talk' });
  return { phones, tokens, folder, open, took };
}

const classesOf = (said: readonly Said[]) => said.flatMap(({ class: name }) => name ?? []);

/** Each way to have the client: as it is built, and in an app that a shrinker made smaller. */
const jars = [
  { app: 'an app with the Java client', missing: noJdk, pathOf: defaultPath },
  { app: 'an app that ProGuard has shrunk', missing: noProguard, pathOf: shrunkJava },
].slice(0, inSizes({ usual: 1, deep: 2, full: 2 }));

let classPath = '';

for (const { app, missing, pathOf } of jars)
  describeWith(missing === null, missing ?? '')(app, () => {
    beforeAll(() => {
      classPath = pathOf();
    });
    afterAll(() => {
      shared?.kill();
      shared = null;
    });

    it('talks, is asked, approves, and leaves no thread behind', async () => {
      const script: ScriptLine[] = [
        { text: 'I pay.', toolCalls: [{ name: 'pay', arguments: { order: 'A-17' } }] },
        { text: 'Paid, 你好 🙂.' },
      ];
      const gateway = await served(script, { tools: { define: [pay()] } });
      const { phones, tokens, took } = await phoneOf(gateway);
      const [ms, cpuMs] = took.map((one) => one.toFixed(1));
      console.log(`initialise took ${ms} ms in a fresh JVM, ${cpuMs} of them at work, of 100 it may take`);
      await phones.ask({ do: 'run', engine: 'chat', prompt: 'Pay.' });
      const { message: asked } = await phones.until((said) => said.class === 'ConfirmRequest');
      await phones.ask({ do: 'confirm', engine: 'chat', call: asked?.payload.callId });
      expect(await phones.end('Pay.')).toBe(null);
      const messages = phones.messages('chat');
      const runId = messages[0]?.runId ?? '';
      expect(await gateway.detent.runs.show(runId)).toMatchObject({ status: 'done' });
      const log = await gateway.detent.runs.timeline(runId);
      const key = ({ seq, index }: { seq: number; index: number }) => `${seq}/${index}`;
      expect(messages.filter(({ seq }) => seq > 0).map(key)).toEqual(log.map(key));
      const pieces = messages
        .filter(({ event }) => event === 'assistant.delta')
        .map(({ payload }) => payload.content);
      expect(pieces.join('')).toBe('I pay.Paid, 你好 🙂.');
      expect(new Set(classesOf(phones.said))).toEqual(
        new Set([
          ...[
            'WireMessage',
            'UserMessage',
            'StepBegin',
            'ContentPartMessage',
            'AnswerMessage',
            'ToolCallMessage',
          ],
          ...['ConfirmRequest', 'Resolved', 'ToolResultMessage', 'TokenUsageMessage', 'RunEnd'],
        ]),
      );
      expect(tokens.given).toHaveLength(1);
      await phones.ask({ do: 'shutdown', client: 'phone' });
      expect(await phones.ask({ do: 'threads' })).toEqual([]);
      await expect
        .poll(() => new Promise((resolve) => gateway.server.getConnections((_, count) => resolve(count))))
        .toBe(0);
    });

    it('keeps what is said without a connection, in order and over lives of the app, and says it once', async () => {
      const answers: ScriptLine[] = Array.from({ length: 9 }, () => ({ messages }) => ({
        text: `You said ${messages.at(-1)?.text}.`,
      }));
      const { detent, model } = await scripted(answers);
      const gateway = await serve(detent);
      const wire = await wireTo(Number(new URL(gateway.url).port));
      wire.isDown = true;
      const { phones, open } = await phoneOf(gateway, { url: wire.url, exact: true }, true);
      for (const prompt of ['one', 'two', 'three'])
        await phones.ask({ do: 'run', engine: 'chat', prompt, key: prompt });
      await phones.until(({ state }) => state === 'OFFLINE');
      phones.kill();
      const again = await sharedPhones();
      await again.ask(open);
      await again.ask({ do: 'engine', client: 'phone', engine: 'chat', session: 'talk' });
      // The app says one of them again, and a new one.
      for (const prompt of ['two', 'four'])
        await again.ask({ do: 'run', engine: 'chat', prompt, key: prompt });
      wire.isDown = false;
      await again.ask({ do: 'foreground', client: 'phone' });
      expect(await Promise.all([again.end('two'), again.end('four')])).toEqual([null, null]);
      expect(await again.ask({ do: 'state', client: 'phone' })).toBe('ONLINE');
      const runs = await gateway.detent.runs.list({ sessionId: 'bob:talk' });
      expect(runs.map(({ prompt }) => prompt).reverse()).toEqual(['one', 'two', 'three', 'four']);
      await again.ask({ do: 'clear', engine: 'chat' });
      await again.ask({ do: 'run', engine: 'chat', prompt: 'five' });
      expect(await again.end('five')).toBe(null);
      const prompt = JSON.stringify(model.requests.at(-1)?.messages);
      expect([prompt.includes('five'), prompt.includes('four')]).toEqual([true, false]);
    });

    it('asks for a token at a 401 alone, once for all that wait, and stops when nobody is logged in', async () => {
      const gateway = await served(Array.from({ length: 9 }, () => ({ text: 'Hello.' })));
      let isLoggedIn = true;
      let token = '';
      const tokens = await tokensOf(async () => {
        token = isLoggedIn ? await gateway.token({ scopes: ['talk'], userId: 'bob' }) : '';
        return token;
      });
      const { phones } = await phoneOf(gateway, { tokens: tokens.url });
      const sessions = ['a', 'b', 'c', 'd'];
      for (const session of sessions)
        await phones.ask({ do: 'engine', client: 'phone', engine: session, session });
      for (const engine of sessions) await phones.ask({ do: 'run', engine, prompt: engine });
      for (const engine of sessions) expect(await phones.end(engine)).toBe(null);
      expect(tokens.given).toHaveLength(1);
      await gateway.detent.tokens.revoke(token.split('.')[0] ?? '');
      isLoggedIn = false;
      await phones.ask({ do: 'run', engine: 'a', prompt: 'kept' });
      await phones.until(({ state }) => state === 'UNAUTHORIZED');
      expect(tokens.given).toHaveLength(2);
      isLoggedIn = true;
      await phones.ask({ do: 'foreground', client: 'phone' });
      expect(await phones.end('kept')).toBe(null);
      expect(tokens.given).toHaveLength(3);
    });

    it('performs tools of the app once, and after a killed app again unless that is unsafe', async () => {
      const call = (name: string): ScriptLine => ({ toolCalls: [{ name, arguments: { what: 'x' } }] });
      const gateway = await served([
        call('look'),
        call('buy'),
        call('broken'),
        call('slow'),
        { text: 'Done.' },
      ]);
      const { phones, folder, open } = await phoneOf(gateway, { toolTimeoutMs: 60_000 }, true);
      const log = join(folder, 'log');
      const noted = () => readFileSync(log, 'utf8').trim().split('\n');
      const never = join(folder, 'never');
      const tools = async (app: Phones, endless: string) => {
        const one = { do: 'tool', client: 'phone', log, ms: 0 };
        const untilOf = (name: string) => (name === endless ? { until: never } : {});
        await app.ask({ ...one, name: 'look', sideEffect: 'READONLY', ...untilOf('look') });
        await app.ask({ ...one, name: 'buy', sideEffect: 'UNSAFE', ...untilOf('buy') });
        await app.ask({ ...one, name: 'broken', sideEffect: 'READONLY', fails: true });
        await app.ask({ ...one, name: 'slow', sideEffect: 'IDEMPOTENT', ...untilOf('slow') });
      };
      await tools(phones, 'look');
      await phones.ask({ do: 'run', engine: 'chat', prompt: 'go', key: 'go' });
      await expect.poll(() => existsSync(log)).toBe(true);
      phones.kill();
      // Killed within `look`, which runs again; then within `buy`, which does not.
      const second = new Phones(classPath);
      await second.ask(open);
      await tools(second, 'buy');
      await second.ask({ do: 'engine', client: 'phone', engine: 'chat', session: 'talk' });
      await expect.poll(noted).toContainEqual(expect.stringMatching(/^begin .* buy$/));
      second.kill();
      const third = await sharedPhones();
      await third.ask({ ...open, toolTimeoutMs: 300 });
      await tools(third, 'slow');
      await third.ask({ do: 'engine', client: 'phone', engine: 'chat', session: 'talk' });
      await third.ask({ do: 'run', engine: 'chat', prompt: 'go', key: 'go' });
      const { message } = await third.until((said) => said.class === 'ToolUndecided');
      expect(message?.payload).toMatchObject({ name: 'buy', arguments: '{"what":"x"}' });
      await third.ask({
        do: 'resolve',
        engine: 'chat',
        call: message?.payload.callId,
        result: 'The user says: bought.',
      });
      expect(await third.end('go')).toBe(null);
      const kinds = noted().map((line) => line.replace(/ .* /, ' '));
      expect(kinds).toEqual([
        'begin look',
        'begin look',
        'end look',
        'begin buy',
        'begin broken',
        'end broken',
        'begin slow',
      ]);
      const results = (await gateway.detent.runs.timeline(message?.runId ?? '')).flatMap((one) =>
        one.event === 'tool.result' ? [[one.payload.isError, one.payload.content]] : [],
      );
      expect(results).toEqual([
        [false, 'did {"what":"x"}'],
        [false, 'The user says: bought.'],
        [true, 'no camera'],
        [true, 'the tool took longer than 300 ms: it is unknown whether it was done'],
      ]);
    });

    it('performs a call on one of two devices', async () => {
      const gateway = await served([{ toolCalls: [{ name: 'look', arguments: {} }] }, { text: 'Done.' }]);
      const { phones, open, folder } = await phoneOf(gateway);
      const [log, until] = [join(folder, 'log'), join(folder, 'seen')];
      const look = { do: 'tool', name: 'look', sideEffect: 'READONLY', log, ms: 0, until };
      await phones.ask({ ...open, client: 'tablet', folder: await temporaryWorkspace() });
      for (const client of ['phone', 'tablet']) await phones.ask({ ...look, client });
      await phones.ask({ do: 'run', engine: 'chat', prompt: 'go' });
      const { message } = await phones.until((said) => said.class === 'ToolRequest');
      // The tablet hears of the call, and leaves it to the phone.
      expect(await phones.ask({ do: 'sync', client: 'tablet', run: message?.runId, ms: 60_000 })).toMatch(
        /^(waiting|done) 0/,
      );
      writeFileSync(until, '');
      expect(await phones.end('go')).toBe(null);
      const noted = readFileSync(log, 'utf8').trim().split('\n');
      expect(noted.map((line) => line.replace(/ .* /, ' '))).toEqual(['begin look', 'end look']);
    });

    it('rests in the background, comes up to date for a push message, and tells a late tool that the app was away', async () => {
      const script: ScriptLine[] = [
        { toolCalls: [{ name: 'look', arguments: {} }] },
        { toolCalls: [{ name: 'pay', arguments: {} }] },
        ({ messages }) => ({ text: messages.map(({ text }) => text).join('|') }),
      ];
      const gateway = await served(script, { tools: { define: [pay()] } });
      const { phones, folder } = await phoneOf(gateway, { toolDeadlineMs: -60_000 });
      await phones.ask({
        do: 'tool',
        client: 'phone',
        name: 'look',
        sideEffect: 'READONLY',
        log: join(folder, 'log'),
        ms: 0,
      });
      await phones.ask({ do: 'background', client: 'phone' });
      await phones.ask({ do: 'run', engine: 'chat', prompt: 'go' });
      await expect.poll(() => phones.ask({ do: 'threads' })).toEqual([]);
      expect(await gateway.detent.runs.list()).toEqual([]);
      await phones.ask({ do: 'foreground', client: 'phone' });
      const { message } = await phones.until((said) => said.class === 'ConfirmRequest');
      await phones.ask({ do: 'background', client: 'phone' });
      await expect.poll(() => phones.ask({ do: 'threads' })).toEqual([]);
      const run = message?.runId ?? '';
      expect(await phones.ask({ do: 'sync', client: 'phone', run, ms: 5000 })).toMatch(/^waiting 1 /);
      const decided = phones.ask({ do: 'confirm', engine: 'chat', call: message?.payload.callId });
      await decided;
      expect(await phones.ask({ do: 'sync', client: 'phone', run, ms: 20_000 })).toMatch(
        /^done 0 .*the app was not there/,
      );
      expect(await phones.end('go')).toBe(null);
      await expect.poll(() => phones.ask({ do: 'threads' })).toEqual([]);
    });

    it('shows who speaks when a person takes over and gives back, on the main thread, and takes a rating', async () => {
      const human = tool('transfer_to_human', {
        sideEffect: 'idempotent',
        run: async (_, { sessionId, idempotencyKey: key }) => {
          await gateway.detent.sessions.requestTakeover(sessionId, {
            reason: 'asks',
            summary: 'a refund',
            key,
          });
          return 'asked';
        },
      });
      const gateway: Served = await served(
        [
          { toolCalls: [{ name: 'transfer_to_human', arguments: {} }] },
          { text: 'A person comes.' },
          { text: 'Glad to help.' },
          { toolCalls: [{ name: 'pay', arguments: {} }] },
        ],
        { tools: { define: [human, pay()] } },
      );
      const { phones } = await phoneOf(gateway, { hasMainThread: true });
      await phones.ask({ do: 'run', engine: 'chat', prompt: 'A person, please' });
      expect(await phones.end('A person, please')).toBe(null);
      // Nobody has said anything since: the app knows of the takeover all the same.
      const state = (is: string) => (said: Said) =>
        said.class === 'TakeoverChanged' && said.message?.payload.state === is;
      await phones.until(state('waiting'));
      const staff = { by: 'dora' };
      await gateway.detent.sessions.takeOver('bob:talk', staff);
      await phones.until(state('taken'));
      await gateway.detent.sessions.say('bob:talk', 'I am Dora.', staff);
      const { message: spoke } = await phones.until((said) => said.class === 'StaffMessage');
      expect(spoke?.payload).toEqual({ content: 'I am Dora.' });
      await phones.ask({ do: 'run', engine: 'chat', prompt: 'Thanks' });
      await phones.until(
        (said) => said.class === 'UserMessage' && said.message?.payload.content === 'Thanks',
      );
      await gateway.detent.sessions.giveBack('bob:talk', staff);
      await phones.until(state('over'));
      expect(await phones.end('Thanks')).toBe(null);
      const isLast = ({ message, class: name }: Said) =>
        name === 'RunEnd' && message?.payload.content === 'Glad to help.';
      const { message: last } = await phones.until(isLast);
      const run = last?.runId;
      const rating = { do: 'rate', engine: 'chat', run, thumb: 'UP', reason: 'quick' };
      await phones.ask(rating);
      expect(await phones.end('rate')).toBe(null);
      const shown = await gateway.detent.sessions.show('bob:talk');
      expect(shown.conversation.at(-1)).toMatchObject({ rating: { thumb: 'up', reason: 'quick' } });
      // A run that a person cuts short names the one that has their words.
      await phones.ask({ do: 'run', engine: 'chat', prompt: 'Pay' });
      await phones.until((said) => said.class === 'ConfirmRequest');
      await gateway.detent.sessions.takeOver('bob:talk', staff);
      expect(await phones.end('Pay')).toBe('CANCELLED');
      await gateway.detent.sessions.say('bob:talk', 'Wait.', staff);
      await phones.until(
        ({ class: name, message }) => name === 'StaffMessage' && message?.payload.content === 'Wait.',
      );
      const messages = phones.messages('chat').filter(({ seq }) => seq > 0);
      const places = messages.map(({ runId, seq, index }) => `${runId} ${seq}/${index}`);
      expect(places).toHaveLength(new Set(places).size);
      const threads = new Set(phones.said.flatMap(({ thread }) => thread ?? []));
      expect(threads).toEqual(new Set(['main thread of the app']));
      await phones.ask({ do: 'engine', client: 'phone', engine: 'fresh', session: 'fresh' });
      await phones.ask({ ...rating, engine: 'fresh' });
      await phones.until(({ end, code }) => end === 'rate' && code === 'NOT_FOUND');
    });

    it('gives a stream up that shows no sign of life, and ends what waits in it at once', async () => {
      const gateway = await served([{ toolCalls: [{ name: 'pay', arguments: {} }] }], {
        tools: { define: [pay()] },
      });
      const { phones } = await phoneOf(gateway, { signOfLifeMs: 200 });
      await phones.ask({ do: 'run', engine: 'chat', prompt: 'go' });
      await phones.until((said) => said.class === 'ConfirmRequest');
      await phones.until(({ state }) => state === 'OFFLINE');
      const { length } = phones.messages('chat');
      await expect
        .poll(() => phones.said.filter(({ state }) => state === 'OFFLINE').length)
        .toBeGreaterThan(1);
      expect(phones.messages('chat')).toHaveLength(length);
      expect(await phones.ask<number>({ do: 'shutdown', client: 'phone' })).toBeLessThan(1000);
      expect(await phones.ask({ do: 'threads' })).toEqual([]);
    });

    it('forgets one user before another logs in, and sends nothing that another left', async () => {
      const gateway = await served(Array.from({ length: 9 }, () => ({ text: 'Hello.' })));
      const wire = await wireTo(Number(new URL(gateway.url).port));
      wire.isDown = true;
      const { phones, folder, open } = await phoneOf(gateway, { url: wire.url, user: 'bob' }, true);
      await phones.ask({ do: 'run', engine: 'chat', prompt: 'secret of bob' });
      await expect.poll(() => existsSync(join(folder, 'detent.json'))).toBe(true);
      await phones.ask({ do: 'logout', client: 'phone' });
      expect(existsSync(join(folder, 'detent.json'))).toBe(false);
      await phones.ask({ do: 'run', engine: 'chat', prompt: 'late' });
      expect(await phones.end('late')).toBe('CLOSED');
      await phones.ask({ do: 'engine', client: 'phone', engine: 'next', session: 'next' });
      await phones.ask({ do: 'run', engine: 'next', prompt: 'left by bob' });
      await expect.poll(() => existsSync(join(folder, 'detent.json'))).toBe(true);
      phones.kill();
      const ada = await sharedPhones();
      wire.isDown = false;
      await ada.ask({ ...open, user: 'ada' });
      await ada.ask({ do: 'engine', client: 'phone', engine: 'chat', session: 'talk' });
      await ada.ask({ do: 'run', engine: 'chat', prompt: 'mine' });
      expect(await ada.end('mine')).toBe(null);
      const runs = await gateway.detent.runs.list();
      expect(runs.map(({ prompt }) => prompt)).toEqual(['mine']);
    });
  });
