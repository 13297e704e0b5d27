import { describe, expect, it, onTestFinished } from 'vitest';
import { createDetent } from '../../../src/index.ts';
import { fakeClock, scriptedModel } from '../../../src/testing/index.ts';
import { modelOptions, scripted, temporaryWorkspace, tool } from '../../support/detent.ts';
import { pdf, png } from '../../support/pictures.ts';

const photo = png('photo');
const dayMs = 86_400_000;

describe('an upload', () => {
  it('is typed by its bytes, and goes along with a message that names it', async () => {
    const { detent, model } = await scripted([{ text: 'A cat.' }]);
    const upload = await detent.attachments.put(photo, { name: 'cat.png', mimeType: 'image/png' });
    expect(upload).toEqual({
      id: expect.stringMatching(/^upl_/),
      mimeType: 'image/png',
      name: 'cat.png',
      bytes: photo.length,
    });
    const run = detent.run('What is it?', { attachments: [{ id: upload.id }] });
    const { attachments } = await run.result;
    expect(attachments).toMatchObject([{ mimeType: 'image/png', name: 'cat.png', bytes: photo.length }]);
    const said = model.requests[0]?.messages.findLast(({ role }) => role === 'user');
    const parts = said?.role === 'user' ? (said.parts ?? []) : [];
    expect(parts.map(({ data }) => Buffer.from(data, 'base64'))).toEqual([photo]);
  });

  it('may be base64, a text, or named anew, and may be used by several runs and with a message to a run', async () => {
    const { detent, model } = await scripted([{ text: 'one' }, { text: 'two' }]);
    const note = await detent.attachments.put(Buffer.from('two cats').toString('base64'), { name: 'a.txt' });
    expect(note).toMatchObject({ mimeType: 'text/plain', name: 'a.txt', bytes: 8 });
    for (const name of ['b.txt', undefined])
      await detent.run('Read it.', { attachments: [{ id: note.id, ...(name && { name }) }] }).result;
    const texts = model.requests.map(({ messages }) => messages.at(-1)?.text);
    expect(texts[0]).toContain('[File b.txt, 8 B]\ntwo cats');
    expect(texts[1]).toContain('[File a.txt, 8 B]\ntwo cats');
  });

  it('steers a run of its user', async () => {
    const tools = { define: [tool('pay', { sideEffect: 'unsafe' })] };
    const script = [{ toolCalls: [{ name: 'pay' }] }, { text: 'seen' }];
    const { detent } = await scripted(script, { tools });
    const run = detent.run('go', { principal: { userId: 'ada' } });
    await run.result;
    const others = await detent.attachments.put(photo, { userId: 'bob' });
    const own = await detent.attachments.put(photo, { userId: 'ada' });
    await expect(run.steer('look', { attachments: [{ id: others.id }] })).rejects.toMatchObject({
      code: 'ATTACHMENT_NOT_FOUND',
    });
    await run.steer('look', { attachments: [{ id: own.id }] });
    expect((await run.result).attachments).toHaveLength(1);
  });

  it('of another tenant or another user is not found', async () => {
    const { detent } = await scripted([{ text: 'one' }]);
    await detent.tenants.create({ name: 'acme' });
    const use = (id: string, principal: { tenantId?: number; userId?: string }) =>
      detent.run('go', { attachments: [{ id }], principal }).started;
    const { id } = await detent.attachments.put(photo, { userId: 'ada' });
    const notFound = {
      code: 'ATTACHMENT_NOT_FOUND',
      message: expect.stringContaining('upload the file again'),
    };
    await expect(use(id, { userId: 'bob' })).rejects.toMatchObject(notFound);
    await expect(use(id, {})).rejects.toMatchObject(notFound);
    await expect(use(id, { userId: 'ada', tenantId: 2 })).rejects.toMatchObject(notFound);
    await expect(use('upl_nowhere', {})).rejects.toMatchObject(notFound);
    await expect(use(7 as never, {})).rejects.toMatchObject(notFound);
    await use(id, { userId: 'ada' });
  });

  it('lasts for a day; the next upload removes it, and the run that used it keeps it', async () => {
    const clock = fakeClock(dayMs);
    const { detent } = await scripted([{ text: 'one' }], { clock });
    const { id } = await detent.attachments.put(photo);
    await clock.advance(dayMs);
    const { attachments } = await detent.run('go', { attachments: [{ id }] }).result;
    await clock.advance(1);
    await expect(detent.run('go', { attachments: [{ id }] }).started).rejects.toMatchObject({
      code: 'ATTACHMENT_NOT_FOUND',
    });
    await detent.attachments.put(pdf());
    const [kept] = attachments ?? [];
    const { bytes } = await detent.artifacts.read(kept?.artifact ?? '');
    expect(Buffer.from(bytes)).toEqual(photo);
  });

  it('survives a restart', async () => {
    const { store: _, ...options } = modelOptions(scriptedModel([{ text: 'one' }]), {
      workspace: await temporaryWorkspace(),
    });
    const first = createDetent(options);
    const { id } = await first.attachments.put(photo);
    await first.close();
    const second = createDetent(options);
    onTestFinished(() => second.close());
    expect((await second.run('go', { attachments: [{ id }] }).result).attachments).toHaveLength(1);
  });

  it('has no secret that the program knows', async () => {
    const options = { env: { SHOP_KEY: 'sk-very-secret-1' }, secrets: ['SHOP_KEY'] };
    const { detent, model } = await scripted([{ text: 'one' }], options);
    const { id } = await detent.attachments.put(Buffer.from('it is sk-very-secret-1'), { name: 'a.txt' });
    await detent.run('go', { attachments: [{ id }] }).result;
    expect(JSON.stringify(model.requests)).not.toContain('sk-very-secret-1');
  });

  it.each([
    [new Uint8Array(), {}, 'ATTACHMENT_UNSUPPORTED'],
    ['no base64', {}, 'ATTACHMENT_UNSUPPORTED'],
    [7 as never, {}, 'ATTACHMENT_UNSUPPORTED'],
    [Buffer.from([0, 1, 2, 255]), {}, 'ATTACHMENT_UNSUPPORTED'],
    [photo, { mimeType: 'application/pdf' }, 'ATTACHMENT_UNSUPPORTED'],
    [Buffer.alloc(20_000_001), {}, 'ATTACHMENT_TOO_LARGE'],
  ])('is refused when no message could take it (%#)', async (data, request, code) => {
    const { detent } = await scripted([]);
    await expect(detent.attachments.put(data, request)).rejects.toMatchObject({ code });
  });

  it.each([[{ id: 'upl_x', path: 'a.txt' }], [null], ['upl_x']])(
    'is named by one of path, data and id (%j)',
    async (odd) => {
      const { detent } = await scripted([]);
      await expect(detent.run('go', { attachments: [odd as never] }).started).rejects.toMatchObject({
        code: 'ATTACHMENT_UNSUPPORTED',
      });
    },
  );
});

describe('an artifact', () => {
  it('is read with the run that it belongs to', async () => {
    const { detent } = await scripted([{ text: 'one' }]);
    const attachments = [{ data: photo, name: 'cat.png' }];
    const { runId, sessionId, ...view } = await detent.run('go', { attachments }).result;
    const id = view.attachments?.[0]?.artifact ?? '';
    expect(await detent.artifacts.read(id)).toEqual({
      bytes: new Uint8Array(photo),
      mimeType: 'image/png',
      name: 'cat.png',
      runId,
      sessionId,
    });
    await expect(detent.artifacts.read(id, 2)).rejects.toMatchObject({ code: 'NOT_FOUND' });
    await expect(detent.artifacts.read('art_nowhere')).rejects.toMatchObject({ code: 'NOT_FOUND' });
  });

  it('has the whole of a long output, which its event names', async () => {
    const output = 'grün '.repeat(20_000);
    const { detent } = await scripted([{ toolCalls: [{ name: 'look' }] }, { text: 'ok' }], {
      tools: { define: [tool('look', { run: () => output })] },
    });
    const { runId } = await detent.run('go').result;
    const named = (await detent.runs.timeline(runId)).flatMap((one) =>
      one.event === 'artifact.created' ? one.payload.artifact : [],
    );
    expect(named).toHaveLength(1);
    const { bytes, mimeType, ...rest } = await detent.artifacts.read(named[0] ?? '');
    expect(Buffer.from(bytes).toString()).toBe(output);
    expect(rest).toMatchObject({ runId });
    expect(mimeType).toBe('text/plain');
  });

  it('of a fork belongs to the fork', async () => {
    const { detent } = await scripted([{ text: 'one' }]);
    const { runId } = await detent.run('go', { attachments: [{ data: photo }] }).result;
    const fork = await detent.runs.fork(runId, { at: 1 });
    const [part] = (await detent.runs.show(fork.runId)).attachments ?? [];
    expect((await detent.artifacts.read(part?.artifact ?? '')).runId).toBe(fork.runId);
  });
});
