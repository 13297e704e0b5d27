import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { Detent, DetentOptions } from '../../../src/index.ts';
import { createDetent } from '../../../src/runtime/create-detent.ts';
import { createScheduler } from '../../../src/schedule/index.ts';
import type { ScriptLine } from '../../../src/testing/index.ts';
import { fakeClock, scriptedModel } from '../../../src/testing/index.ts';
import { serve } from '../../gateway/support.ts';
import { testEmbeddingServer } from '../../memory/embeddings/embedding-server.ts';
import { gate, temporaryWorkspace, tool } from '../../support/detent.ts';
import { orderWorkflow } from '../../support/order-workflow.ts';

/** Words of Ann, one for each way in. All begin alike, so that one search finds any of them. */
const word = (way: string) => `zqx${way}wvk`;
const isHers = /zqx[a-z]+wvk/gi;
const ann = { principal: { userId: 'ann' } };
const bob = { principal: { userId: 'bob' } };

/** The words that any file below a folder has, as they are, in base64 or in UTF-16. */
function found(folder: string, pattern = isHers): string[] {
  const words = new Set<string>();
  for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
    const file = join(entry.parentPath, entry.name);
    if (entry.isFile()) {
      const bytes = readFileSync(file);
      for (const text of [bytes.toString('latin1'), bytes.toString('utf16le')])
        for (const [one] of text.matchAll(pattern)) words.add(one.toLowerCase());
    }
    for (const [one] of file.matchAll(pattern)) words.add(one.toLowerCase());
  }
  return [...words].sort();
}

const calls = (name: string, args: object = {}): ScriptLine => ({ toolCalls: [{ name, arguments: args }] });

const script: ScriptLine[] = [
  // prompt, answer, args, result, long
  { ...calls('look', { what: word('args') }), reasoning: word('reasoning') },
  { text: word('answer') },
  calls('ask_user', { question: 'Which?' }),
  { text: 'chosen' },
  calls('pay', { what: 'x' }),
  { text: 'edited' },
  calls('pay', { what: 'y' }),
  { text: 'rejected' },
  calls('showCart'),
  { text: 'shown' },
  { output: { what: word('output') } },
  { text: 'seen' },
  { text: 'apart' },
  { text: 'called' },
];

const tools = {
  define: [
    tool('look', { run: () => `${word('result')} ${'x '.repeat(30_000)} ${word('long')}` }),
    tool('pay', { confirm: true, sideEffect: 'unsafe', run: ({ what }) => String(what) }),
  ],
};

function openIn(workspace: string, lines: readonly ScriptLine[] = []): Detent {
  const test = scriptedModel(lines);
  const options: DetentOptions = { workspace, env: {}, model: 'test/script', models: { test }, tools };
  const detent = createDetent({ ...options, workflows: [orderWorkflow] });
  onTestFinished(() => detent.close());
  return detent;
}

/** All ways by which a user's words come in. */
async function speaks(detent: Detent): Promise<void> {
  await detent.run(word('prompt'), { ...ann, sessionId: 'a' }).result;
  const asks = await detent.run('ask me', { ...ann, sessionId: 'a' }).result;
  const callOf = (view: { pending: readonly { callId: string }[] }) => String(view.pending[0]?.callId);
  const answer = { verdict: 'answer', answer: word('chosen') } as const;
  await detent.runs.confirm(asks.runId, callOf(asks), answer);
  await detent.runs.attach(asks.runId).result;
  const edits = await detent.run('pay', { ...ann, sessionId: 'e' }).result;
  const edit = { verdict: 'modify', arguments: { what: word('edit') } } as const;
  await detent.runs.confirm(edits.runId, callOf(edits), edit);
  await detent.runs.attach(edits.runId).result;
  const rejects = await detent.run('pay', { ...ann, sessionId: 'e' }).result;
  await detent.runs.confirm(rejects.runId, callOf(rejects), { verdict: 'reject', reason: word('reason') });
  await detent.runs.attach(rejects.runId).result;
  const clientTools = [{ name: 'showCart', description: 'Shows it.' }];
  const shows = await detent.run('cart', { ...ann, sessionId: 'c', clientTools }).result;
  await detent.runs.confirm(shows.runId, callOf(shows), { verdict: 'result', result: word('client') });
  await detent.runs.attach(shows.runId).result;
  const output = { type: 'object', properties: { what: { type: 'string' } }, required: ['what'] } as const;
  await detent.run('form', { ...ann, sessionId: 'o', output }).result;
  const data = Buffer.from(word('attached'));
  await detent.run('see', { ...ann, sessionId: 'f', attachments: [{ data, mimeType: 'text/plain' }] }).result;
  await detent.attachments.put(Buffer.from(`plain ${word('upload')}`), { userId: 'ann' });
  await detent.memory.write([word('memory')], { userId: 'ann' });
  await detent.memory.search(word('memory'), { userId: 'ann' });
  await detent.sessions.update('a', { title: word('title') });
  await detent.sessions.fork('a', { runId: asks.runId, seq: 1, sessionId: word('fork') });
  await detent.sessions.search(word('prompt'), { userId: 'ann' });
  await detent.run(word('apart'), { ...ann, sessionId: 'open' }).result;
  const flow = detent.workflows.start('order', { order: word('order') }, ann);
  await flow.result.catch(() => {});
  await detent.tokens.create({ scopes: ['talk'], userId: 'ann', name: word('token') });
  const scheduler = createScheduler(detent, { print: () => {} });
  onTestFinished(() => scheduler.close());
  await scheduler.add({ jobId: 'watch', cron: '0 9 * * *', prompt: word('job') }, { userId: 'ann' });
}

describe('to forget a user', () => {
  it('leaves no byte of the user’s words in any file, and all of others', { timeout: 60_000 }, async () => {
    const workspace = await temporaryWorkspace();
    const detent = openIn(workspace, [{ text: 'Hi Bob.' }, ...script]);
    await detent.sessions.create({ sessionId: 'open' });
    await detent.run('I am Bob.', { ...bob, sessionId: 'b' }).result;
    await detent.memory.write(['is Bob'], { userId: 'bob' });
    await speaks(detent);
    const gateway = await serve(detent);
    const hers = await gateway.connect(await gateway.token({ scopes: ['talk'], userId: 'ann' }));
    const search = { query: word('search') };
    await hers.ask('session.search', search);
    await hers.ask('session.create', { sessionId: word('key'), idempotencyKey: 'k1' });
    const before = found(workspace);
    console.log(`before: ${before.length} words in files`);
    const others = await snapshotOf(detent, 'bob');
    const copied = await Array.fromAsync(detent.users.export('ann'));
    const types = new Set(copied.map((line) => String(JSON.parse(line).type)));
    for (const type of ['user', 'session', 'line', 'memory', 'job', 'upload', 'token', 'usage', 'request'])
      expect(types).toContain(type);
    for (const way of [
      'prompt',
      'answer',
      'args',
      'memory',
      'title',
      'job',
      'edit',
      'reason',
      'order',
      'apart',
    ])
      expect(copied.join('\n')).toContain(word(way));
    expect(copied.join('\n')).not.toContain('Bob');
    expect(JSON.parse(copied.at(-1) ?? '')).toEqual({ type: 'end', lines: copied.length });
    const host = await gateway.connect();
    const paged: string[] = [];
    for (let after: number | null = 0; after !== null; ) {
      const asked = { userId: 'ann', after, maxBytes: 20_000 };
      const page: { lines: string[]; next: number | null } = await host.ask('users.export', asked);
      paged.push(...page.lines);
      after = page.next;
    }
    expect(paged.length).toBe(copied.length);
    const told: unknown[] = [];
    detent.users.onForget((user) => void told.push(user));
    expect(await detent.users.forget('ann')).toMatchObject({ erased: true });
    expect(told).toEqual([{ tenantId: 1, userId: 'ann' }]);
    expect(found(workspace)).toEqual([]);
    expect(before.length).toBeGreaterThanOrEqual(20);
    expect((await hers.closed).code).toBe(4401);
    expect(await snapshotOf(detent, 'bob')).toEqual(others);
    expect(await detent.sessions.list({ userId: 'ann' })).toEqual([]);
    expect(await detent.sessions.search(word('prompt'))).toMatchObject({ results: [] });
    // A second time there is nothing to do, and the user may come back.
    const none = { sessions: 0, runs: 0, messages: 0 };
    expect(await detent.users.forget('ann')).toEqual({ ...none, erased: true, told: true });
    await detent.close();
    expect(found(workspace)).toEqual([]);
  });
});

describe('to forget a user whose words went further', () => {
  it('leaves nothing of steered words, of summaries, of vectors, or of files in base64', {
    timeout: 60_000,
  }, async () => {
    const workspace = await temporaryWorkspace();
    const server = await testEmbeddingServer();
    const waits = gate();
    const look = tool('look', {
      run: async (_, { signal }) => {
        await waits.pass(signal);
        return 'seen';
      },
    });
    const test = scriptedModel([
      calls('look'),
      { text: 'heard' },
      { text: word('summary') },
      { text: 'seen' },
    ]);
    const options: DetentOptions = {
      ...{ workspace, env: {}, model: 'test/script', models: { test }, tools: { define: [look] } },
      memory: { embeddings: { api: 'openai', model: 'm', baseUrl: `${server.url}/v1` } },
    };
    const detent = createDetent(options);
    onTestFinished(() => detent.close());
    const run = detent.run('look', { ...ann, sessionId: 'a' });
    await waits.reached;
    await detent.run(word('steer'), { ...ann, sessionId: 'a', mode: 'steer' }).started;
    waits.open();
    await run.result;
    expect(await detent.sessions.compact('a')).toMatchObject({ outcome: 'completed' });
    const png = Buffer.concat([Buffer.from('89504e470d0a1a0a', 'hex'), Buffer.from(word('picture'))]);
    await detent.run('see', { ...ann, sessionId: 'f', attachments: [{ data: png, mimeType: 'image/png' }] })
      .result;
    await detent.memory.write([word('vector')], { userId: 'ann' });
    await detent.memory.search(word('vector'), { userId: 'ann' });
    // The picture's bytes have the word at each place that base64 can give it.
    const inBase64 = ['', ' ', '  '].map((before) =>
      Buffer.from(`${before}${word('picture')}`)
        .toString('base64')
        .slice(4, 16),
    );
    const patterns = new RegExp(
      [...inBase64.map((part) => part.replaceAll('+', '\\+')), isHers.source].join('|'),
      'g',
    );
    const before = found(workspace, patterns);
    for (const way of ['steer', 'summary', 'vector']) expect(before).toContain(word(way));
    expect(before.some((one) => !one.startsWith('zqx'))).toBe(true);
    expect(await detent.users.forget('ann')).toMatchObject({ erased: true });
    await detent.close();
    expect(found(workspace, patterns)).toEqual([]);
  });
});

describe('a user who is forgotten, or claimed, by a process without functions of the host', () => {
  it('is told to the running program that has some, and to the next one: once, and never to nobody', async () => {
    const workspace = await temporaryWorkspace();
    const clock = fakeClock();
    const heard: unknown[] = [];
    const open = (options: DetentOptions = {}) => {
      const detent = createDetent({ workspace, env: {}, clock, ...options });
      onTestFinished(() => detent.close());
      return detent;
    };
    const hears = (detent: Detent) => {
      detent.users.onForget((user) => void heard.push(user));
      detent.users.onClaim((claim) => void heard.push(claim));
    };
    const program = open();
    hears(program);
    await program.users.finish();
    const other = open();
    expect(await other.users.forget('zed')).toMatchObject({ erased: true, told: false });
    expect(await other.users.isGone('zed')).toBe(false);
    await clock.advance(60_000);
    await expect.poll(() => heard).toEqual([{ tenantId: 1, userId: 'zed' }]);
    await program.close();
    await other.run('hi', { principal: { userId: 'guest:7' } }).result;
    await other.run('hi', { principal: { userId: 'zed' } }).result;
    await other.users.claim({ from: 'guest:7', to: 'ann' });
    // Who comes back and goes again is noted again.
    expect(await other.users.forget('zed')).toMatchObject({ sessions: 1, told: false });
    expect(await other.users.forget('zed')).toMatchObject({ sessions: 0, told: false });
    await other.users.finish();
    heard.length = 0;
    for (const times of [1, 2]) {
      const next = open();
      hears(next);
      await next.runs.resume();
      const told = [
        { tenantId: 1, from: 'guest:7', to: 'ann' },
        { tenantId: 1, userId: 'zed' },
      ];
      expect([times, heard]).toEqual([times, expect.arrayContaining(told)]);
      expect(heard).toHaveLength(2);
      await next.close();
    }
    expect(await other.users.isGone('guest:7')).toBe(true);
    // The guest goes with the user, and is told as well; nobody had a function for a month.
    expect(await other.users.forget('ann')).toMatchObject({ told: false });
    await clock.advance(31 * 24 * 3_600_000);
    await other.users.finish();
    const late = open();
    hears(late);
    await late.users.finish();
    expect(heard).toHaveLength(2);
  });
});

async function snapshotOf(detent: Detent, userId: string) {
  const sessions = await detent.sessions.list({ userId });
  const lines = await Promise.all(
    sessions.map(({ sessionId }) => Array.fromAsync(detent.sessions.export(sessionId))),
  );
  const { files } = await detent.memory.files({ userId });
  const { total } = await detent.usage({ userId });
  return { sessions, lines, files, total };
}
