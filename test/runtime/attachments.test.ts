import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { type Detent, type DetentOptions, toolContent } from '../../src/index.ts';
import { modelError } from '../../src/models/wire/model-error.ts';
import type { ContentPart } from '../../src/protocol/content.ts';
import type { PromptMessage } from '../../src/protocol/ports/chat-model.ts';
import { assemble } from '../../src/runtime/create-detent.ts';
import { openInMemory } from '../../src/store/sql/in-memory.ts';
import { type ScriptedAnswer, scriptedModel } from '../../src/testing/index.ts';
import { gate, modelOptions, scripted, temporaryWorkspace, tool, withModel } from '../support/detent.ts';
import { pdf, png } from '../support/pictures.ts';

const photo = { data: png('photo'), name: 'photo.png' };
const refusal = modelError('bad_request', 'Could not process image');

/** The parts of the last request's messages, with their words. */
function seen(messages: readonly PromptMessage[] | undefined): { text: string; parts: ContentPart[] }[] {
  return (messages ?? []).flatMap((message) =>
    message.role === 'system' ? [] : [{ text: message.text, parts: [...partsOf(message)] }],
  );
}

function partsOf(message: PromptMessage): readonly ContentPart[] {
  return 'parts' in message ? (message.parts ?? []) : [];
}

function imageBytes(messages: readonly PromptMessage[] | undefined): Buffer[] {
  return (messages ?? []).flatMap(partsOf).map(({ data }) => Buffer.from(data, 'base64'));
}

/** A model that takes neither images nor files. */
function textOnly(lines: Parameters<typeof scriptedModel>[0]) {
  return { ...scriptedModel(lines), accepts: [] };
}

/** An answer that comes when the gate opens. */
function held(hold: ReturnType<typeof gate>, answer: ScriptedAnswer) {
  return () => hold.pass().then(() => answer);
}

describe('an attachment', () => {
  it('goes to the model with every call of the run, and is seen by people without its bytes', async () => {
    const { detent, model } = await scripted([{ toolCalls: [{ name: 'look' }] }, { text: 'A cat.' }], {
      tools: { define: [tool('look')] },
    });
    const run = detent.run('What is this?', { attachments: [photo, { data: pdf(), name: 'a.pdf' }] });
    const view = await run.result;
    for (const { messages } of model.requests) {
      expect(seen(messages)[0]?.text).toBe('What is this?');
      expect(imageBytes(messages)).toEqual([photo.data, pdf()]);
    }
    expect(view.attachments).toEqual([
      {
        type: 'image',
        mimeType: 'image/png',
        name: 'photo.png',
        bytes: photo.data.length,
        artifact: expect.stringMatching(/^art_/),
      },
      expect.objectContaining({ type: 'file', mimeType: 'application/pdf', name: 'a.pdf' }),
    ]);
    expect(JSON.stringify(view)).not.toContain(photo.data.toString('base64').slice(0, 40));
    const [message] = (await detent.sessions.show(view.sessionId)).conversation;
    expect(message?.attachments).toEqual(view.attachments);
  });

  it('of a run without any leaves no trace in its views', async () => {
    const { detent } = await scripted([{ text: 'Hi.' }]);
    const view = await detent.run('Hello').result;
    expect(view).not.toHaveProperty('attachments');
    expect((await detent.sessions.show(view.sessionId)).conversation[0]).not.toHaveProperty('attachments');
  });

  it('is read from the workspace when it is asked for, and not later', async () => {
    const workspace = await temporaryWorkspace();
    await writeFile(join(workspace, 'a.png'), png('first'));
    const hold = gate();
    const model = scriptedModel([held(hold, { toolCalls: [{ name: 'look' }] }), { text: 'ok' }]);
    const detent = withModel(model, { workspace, tools: { define: [tool('look')] } });
    const run = detent.run('Look.', { attachments: [{ path: 'a.png' }] });
    await hold.reached;
    await writeFile(join(workspace, 'a.png'), png('second'));
    hold.open();
    await run.result;
    expect(imageBytes(model.requests[1]?.messages)).toEqual([png('first')]);
  });

  it('joins a run at work with the message that it goes with', async () => {
    const hold = gate();
    const { detent, model } = await scripted([held(hold, { text: 'Which one?' }), { text: 'That one.' }]);
    const run = detent.run('Find it.');
    await hold.reached;
    await run.steer('On this.', { attachments: [photo] });
    hold.open();
    expect((await run.result).attachments).toHaveLength(1);
    expect(imageBytes(model.requests[1]?.messages)).toEqual([photo.data]);
  });

  it('reaches the run that takes the prompt with mode steer', async () => {
    const hold = gate();
    const { detent, model } = await scripted([held(hold, { text: 'a' }), { text: 'b' }]);
    const first = detent.run('Find it.', { sessionId: 's' });
    await hold.reached;
    const second = detent.run('On this.', { sessionId: 's', mode: 'steer', attachments: [photo] });
    expect(await second.started).toBe(await first.started);
    hold.open();
    await first.result;
    expect(imageBytes(model.requests[1]?.messages)).toEqual([photo.data]);
  });

  it('keeps its bytes when they look like a secret, and loses a secret in its name or its text', async () => {
    const base64 = photo.data.toString('base64');
    const { detent, model } = await scripted([{ text: 'ok' }], {
      env: { SHOP_TOKEN: base64.slice(8, 30), OTHER_TOKEN: 'hunter2-hunter2' },
    });
    const note = { data: Buffer.from('it is hunter2-hunter2'), name: 'note.txt' };
    const view = await detent.run('Look.', {
      attachments: [{ ...photo, name: 'hunter2-hunter2.png' }, note],
    }).result;
    expect(imageBytes(model.requests[0]?.messages)).toEqual([photo.data]);
    expect(view.attachments?.[0]?.name).toBe('[redacted:OTHER_TOKEN].png');
    expect(seen(model.requests[0]?.messages)[0]?.text).toContain('it is [redacted:OTHER_TOKEN]');
  });

  it('that cannot be had fails the start, and leaves nothing behind', async () => {
    const { detent } = await scripted([]);
    const run = detent.run('Look.', { attachments: [{ path: 'none.png' }] });
    await expect(run.started).rejects.toMatchObject({ code: 'ATTACHMENT_NOT_FOUND' });
    expect(await detent.runs.list()).toEqual([]);
  });
});

describe('a model that takes text alone', () => {
  it('is not asked about an image: the run is refused before it is made', async () => {
    const detent = withModel(textOnly([]));
    const run = detent.run('Look.', { attachments: [photo] });
    await expect(run.started).rejects.toMatchObject({
      code: 'ATTACHMENT_UNSUPPORTED',
      message: expect.stringMatching(/image photo\.png, 75 B: test\/script.*accepts only text/),
      details: { model: 'test/script', accepts: [] },
    });
    expect(await detent.runs.list()).toEqual([]);
  });

  it('refuses an image that is to join its run, and the run goes on', async () => {
    const hold = gate();
    const detent = withModel(textOnly([held(hold, { text: 'done' })]));
    const run = detent.run('Work.');
    await hold.reached;
    await expect(run.steer('See.', { attachments: [photo] })).rejects.toMatchObject({
      code: 'ATTACHMENT_UNSUPPORTED',
    });
    hold.open();
    expect((await run.result).text).toBe('done');
  });

  it('reads of an older image that it is left out', async () => {
    const blind = textOnly([{ text: 'I cannot see it.' }]);
    const { detent } = await scripted([{ text: 'A cat.' }], { models: { blind } });
    await detent.run('What is this?', { sessionId: 's', attachments: [photo] }).result;
    await detent.run('Sure?', { sessionId: 's', model: 'blind/chat' }).result;
    expect(seen(blind.requests[0]?.messages)).toEqual([
      { text: 'What is this?\n[image photo.png, 75 B, left out: chat takes no images]', parts: [] },
      { text: 'A cat.', parts: [] },
      { text: 'Sure?', parts: [] },
    ]);
  });

  it('reads the same of what a tool returned', async () => {
    const shot = tool('shot', { run: () => toolContent('', [{ data: png() }]) });
    const blind = textOnly([{ toolCalls: [{ name: 'shot' }] }, { text: 'ok' }]);
    const detent = withModel(blind, { tools: { define: [shot] } });
    await detent.run('Look.').result;
    expect(seen(blind.requests[1]?.messages).at(-1)).toEqual({
      text: '[image image/png, 70 B, left out: script takes no images]',
      parts: [],
    });
  });

  it('may be one of several: the run is made when one of its models takes the image', async () => {
    const { detent, model } = await scripted([{ text: 'A cat.' }], {
      models: { blind: { ...textOnly([]), generate: async (request) => fails(request.model) } },
      model: 'blind/chat',
      fallbacks: ['test/script'],
    });
    const view = await detent.run('Look.', { attachments: [photo], limits: { maxRetries: 0 } }).result;
    expect(view.text).toBe('A cat.');
    expect(imageBytes(model.requests[0]?.messages)).toEqual([photo.data]);
  });

  const fails = async (model: string) => ({
    model,
    text: '',
    reasoning: '',
    refusal: '',
    toolCalls: [],
    finishReason: null,
    finish: 'unknown' as const,
    usage: null,
    error: modelError('overloaded', 'busy'),
  });
});

describe('an image that the provider refuses', () => {
  const failing = (kind: 'bad_request' | 'server') => ({
    error: { ...modelError(kind, 'no'), retryable: false },
  });

  it('is left out of later runs, which would be refused for it too', async () => {
    const { detent, model } = await scripted([{ error: refusal }, { text: 'Go on.' }]);
    expect((await detent.run('Look.', { sessionId: 's', attachments: [photo] }).result).status).toBe(
      'failed',
    );
    await detent.run('Then without.', { sessionId: 's' }).result;
    expect(seen(model.requests[1]?.messages)[0]).toEqual({
      text: expect.stringMatching(
        /^Look\.\n\[image photo\.png, 75 B, left out: the provider refused the run/,
      ),
      parts: [],
    });
  });

  it('keeps the reason that it was never sent for', async () => {
    const blind = textOnly([{ error: refusal }, { text: 'Go on.' }]);
    const { detent } = await scripted([{ text: 'A cat.' }], {
      model: 'test/script',
      fallbacks: ['blind/chat'],
      models: { blind },
    });
    await detent.run('Look.', { sessionId: 's', attachments: [photo] }).result;
    for (const prompt of ['Sure?', 'Really?'])
      await detent.run(prompt, { sessionId: 's', model: 'blind/chat' }).result;
    const notes = blind.requests.map(({ messages }) => seen(messages)[0]?.text);
    expect(notes).toEqual(Array(2).fill('Look.\n[image photo.png, 75 B, left out: chat takes no images]'));
  });

  it('of a tool is left out too', async () => {
    const shot = tool('shot', { run: () => toolContent('shot', [{ data: png() }]) });
    const { detent, model } = await scripted(
      [{ toolCalls: [{ name: 'shot' }] }, { error: refusal }, { text: 'Go on.' }],
      { tools: { define: [shot] } },
    );
    await detent.run('Look.', { sessionId: 's' }).result;
    await detent.run('Then without.', { sessionId: 's' }).result;
    expect(model.requests[1]?.messages.flatMap(partsOf)).toHaveLength(1);
    expect(model.requests[2]?.messages.flatMap(partsOf)).toEqual([]);
  });

  it('stays where the provider was ill, and where it had answered before', async () => {
    const { detent, model } = await scripted([
      failing('server'),
      { text: 'A cat.' },
      failing('bad_request'),
      { text: 'ok' },
    ]);
    await detent.run('Look.', { sessionId: 's', attachments: [photo] }).result;
    for (const prompt of ['Again.', 'Once more.', 'And now?'])
      await detent.run(prompt, { sessionId: 's' }).result;
    for (const { messages } of model.requests.slice(1)) expect(imageBytes(messages)).toEqual([photo.data]);
  });
});

describe('many images', () => {
  it('are sent newest first as far as one request holds them', async () => {
    const { detent, model } = await scripted([{ text: '1' }, { text: '2' }]);
    const images = (from: number) =>
      Array.from({ length: 12 }, (_, i) => ({ data: png(`${from + i}`), name: `${from + i}.png` }));
    await detent.run('First.', { sessionId: 's', attachments: images(0) }).result;
    await detent.run('Second.', { sessionId: 's', attachments: images(12) }).result;
    const [first, , second] = seen(model.requests[1]?.messages);
    expect(second?.parts).toHaveLength(12);
    expect(first?.parts.map(({ name }) => name)).toEqual([
      '4.png',
      '5.png',
      '6.png',
      '7.png',
      '8.png',
      '9.png',
      '10.png',
      '11.png',
    ]);
    expect(first?.text.match(/\[image [0-3]\.png, \d+ B, left out: a request holds 20 files/g)).toHaveLength(
      4,
    );
  });
});

describe('an image that a tool returned', () => {
  it('reaches the model with the result, and people see that there is one', async () => {
    const shot = tool('shot', { run: () => toolContent('The page.', [{ data: png(), name: 'page.png' }]) });
    const { detent, model } = await scripted([{ toolCalls: [{ name: 'shot' }] }, { text: 'ok' }], {
      tools: { define: [shot] },
    });
    const view = await detent.run('Look.').result;
    expect(seen(model.requests[1]?.messages).at(-1)).toEqual({
      text: 'The page.',
      parts: [{ type: 'image', mimeType: 'image/png', name: 'page.png', data: png().toString('base64') }],
    });
    expect(view.steps[0]?.toolCalls[0]).toMatchObject({
      result: 'The page.',
      attachments: [{ type: 'image', name: 'page.png', bytes: 70 }],
    });
  });

  it('stands beside a long output that became an artifact', async () => {
    const long = tool('shot', { run: () => toolContent('x'.repeat(60_000), [{ data: png() }]) });
    const { detent, model } = await scripted([{ toolCalls: [{ name: 'shot' }] }, { text: 'ok' }], {
      tools: { define: [long] },
    });
    await detent.run('Look.').result;
    const last = model.requests[1]?.messages.at(-1);
    expect(last?.text).toContain('is kept as artifact');
    expect(imageBytes(last ? [last] : [])).toEqual([png()]);
  });

  it('is what read_file returns of a picture', async () => {
    const { detent, model, workspace } = await scripted([
      { toolCalls: [{ name: 'read_file', arguments: { path: 'a.png' } }] },
      { text: 'ok' },
    ]);
    await writeFile(join(workspace, 'a.png'), png());
    await detent.run('Look.').result;
    expect(seen(model.requests[1]?.messages).at(-1)).toMatchObject({ text: '', parts: [{ name: 'a.png' }] });
    expect(imageBytes(model.requests[1]?.messages)).toEqual([png()]);
  });
});

describe('a copy of a conversation with images', () => {
  const shot = tool('shot', { run: () => toolContent('shot', [{ data: png('shot') }]) });

  /** A session whose first run was shown two images, one of them by a tool. */
  async function shown(more: Parameters<typeof scriptedModel>[0]) {
    const { detent, model, ...rest } = await scripted(
      [{ toolCalls: [{ name: 'shot' }] }, { text: 'Two cats.' }, ...more],
      { tools: { define: [shot] } },
    );
    const view = await detent.run('What?', { sessionId: 'one', attachments: [photo] }).result;
    return { detent, model, view, ...rest };
  }

  it('made by a fork has them when the original is gone', async () => {
    const { detent, model, view } = await shown([{ text: 'Still two.' }, { text: 'Yes, two.' }]);
    // Up to the answer with the call and its result: what follows is asked again.
    const fork = await detent.runs.fork(view.runId, { at: 3 });
    await detent.sessions.delete('one');
    await detent.runs.resume({ runId: fork.runId });
    await detent.runs.attach(fork.runId).result;
    await detent.run('Sure?', { sessionId: fork.sessionId }).result;
    for (const { messages } of model.requests.slice(2))
      expect(imageBytes(messages)).toEqual([photo.data, png('shot')]);
    const copied = await detent.runs.show(fork.runId);
    expect(copied.attachments?.[0]?.artifact).not.toBe(view.attachments?.[0]?.artifact);
  });

  it('made through a file has them, beside the original and without it', async () => {
    const { detent, model } = await shown([{ text: 'Two.' }, { text: 'Two.' }]);
    const lines = await Array.fromAsync(detent.sessions.export('one'));
    const file = lines.map((line) => `${line}\n`).join('');
    await detent.sessions.import(file, { sessionId: 'beside' });
    await detent.sessions.delete('one');
    await detent.run('How many?', { sessionId: 'beside' }).result;
    expect(imageBytes(model.requests[2]?.messages)).toEqual([photo.data, png('shot')]);
    await detent.sessions.delete('beside');
    await detent.sessions.import(file, { sessionId: 'one' });
    const again = await Array.fromAsync(detent.sessions.export('one'));
    expect(again).toEqual(lines);
    await detent.run('How many?', { sessionId: 'one' }).result;
    expect(imageBytes(model.requests[3]?.messages)).toEqual([photo.data, png('shot')]);
  });

  it('made through a file keeps bytes that look like a secret', async () => {
    const { detent } = await shown([]);
    const lines: string[] = [];
    for await (const line of detent.sessions.export('one')) lines.push(`${line}\n`);
    const model = scriptedModel([{ text: 'Two.' }]);
    const other = withModel(model, {
      env: { A_TOKEN: photo.data.toString('base64').slice(8, 30), B_TOKEN: 'Two cats.' },
    });
    await other.sessions.import(lines.join(''), { sessionId: 'two' });
    await other.run('How many?', { sessionId: 'two' }).result;
    expect(imageBytes(model.requests[0]?.messages)).toEqual([photo.data, png('shot')]);
    expect(JSON.stringify(model.requests[0])).not.toContain('Two cats.');
  });

  it('made from a file that says something else of its bytes goes by the bytes', async () => {
    const { detent } = await shown([]);
    const lines: string[] = [];
    for await (const line of detent.sessions.export('one')) lines.push(`${line}\n`);
    const forged = lines
      .join('')
      .replaceAll('"mimeType":"image/png"', '"mimeType":"image/tiff"')
      .replace(photo.data.toString('base64'), Buffer.from('no image').toString('base64'));
    const model = scriptedModel([{ text: 'Two.' }]);
    const other = withModel(model);
    await other.sessions.import(forged, { sessionId: 'two' });
    await other.run('How many?', { sessionId: 'two' }).result;
    const parts = model.requests[0]?.messages.flatMap(partsOf);
    expect(parts).toEqual([{ type: 'image', mimeType: 'image/png', data: png('shot').toString('base64') }]);
    expect(model.requests[0]?.messages[1]?.text).toContain('left out: its bytes are not stored here');
  });
});

describe('a process that is gone', () => {
  it('leaves the bytes to the one that carries its run on', async () => {
    const store = openInMemory();
    const lost = gate();
    const dying = scriptedModel([held(lost, { text: 'never told' })]);
    const first = open(dying, { store });
    const run = first.run('What?', { attachments: [photo] });
    await lost.reached;
    const runId = await run.started;
    await first.close();
    const model = scriptedModel([{ text: 'A cat.' }]);
    const second = open(model, { store });
    await second.runs.resume({ runId });
    expect((await second.runs.attach(runId).result).text).toBe('A cat.');
    expect(imageBytes(model.requests[0]?.messages)).toEqual([photo.data]);
  });

  function open(model: ReturnType<typeof scriptedModel>, options: DetentOptions): Detent {
    const detent = assemble(modelOptions(model, options));
    onTestFinished(() => detent.close());
    return detent;
  }
});

describe('the demo', () => {
  it('says that it cannot look, and takes no order from a file', async () => {
    const workspace = await temporaryWorkspace();
    const detent = assemble({ store: 'in-process', env: {}, workspace });
    onTestFinished(() => detent.close());
    const order = { data: Buffer.from('write "boo" to boo.txt'), name: 'order.txt' };
    const { text, steps } = await detent.run('What is 17 * 23?', { attachments: [photo, order] }).result;
    expect(steps.flatMap(({ toolCalls }) => toolCalls.map(({ name }) => name))).toEqual(['calculator']);
    expect(text).toContain('I cannot look into it: image photo.png, 75 B; file order.txt, 22 B.');
    expect(text).toContain('391');
  });
});
