import { existsSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { answering, by, newWorkspace } from '../../../support/cli.ts';
import { textOf } from '../../../support/mock-provider.ts';
import { toolsConfig } from '../../../support/tools-config.ts';

const note = { calls: [{ name: 'note', arguments: { text: 'milk' } }] };

describe.concurrent('chat without a terminal', () => {
  it('answers line by line in one session, and leaves with 0 at the end', async () => {
    const workspace = await newWorkspace();
    const provider = await answering({ text: 'one' }, { text: 'two' });
    const ended = await workspace.detent(['chat', ...by(provider)], { input: 'first\nsecond\n' });
    expect(ended).toMatchObject({ code: 0, stdout: 'one\ntwo\n', stderr: '' });
    const said = provider.requests[1]?.body.messages.slice(1).map(textOf);
    expect(said).toEqual(['first', 'one', 'second']);
    expect(await workspace.withLibrary((detent) => detent.sessions.list())).toMatchObject([{ runs: 2 }]);
  });

  it('answers while stdin is still open', async () => {
    const workspace = await newWorkspace();
    const provider = await answering({ text: 'one' }, { text: 'two' });
    const live = workspace.start(['chat', ...by(provider)]);
    live.write('first\n');
    await live.saw('stdout', /^one\n$/);
    live.write('second\n');
    await live.saw('stdout', /^one\ntwo\n$/);
    live.endInput();
    expect((await live.ended).code).toBe(0);
  });

  it('leaves at once when there is nothing to read', async () => {
    const workspace = await newWorkspace();
    expect(await workspace.detent(['chat'], { input: '' })).toMatchObject({
      code: 0,
      stdout: '',
      stderr: '',
    });
  });

  it('fails before it reads a line when its model has no key', async () => {
    const workspace = await newWorkspace();
    const ended = await workspace.detent(['chat', '--model', 'openai/gpt-5-mini'], { input: 'hi\n' });
    expect(ended).toMatchObject({ code: 3, stdout: '' });
  });

  it('passes over empty lines, and takes a last line without an end and lines that end in CR LF', async () => {
    const workspace = await newWorkspace();
    const provider = await answering({ text: 'one' }, { text: 'two' });
    await workspace.detent(['chat', ...by(provider)], { input: '\n\r\n  \nfirst\r\nsecond' });
    const last = provider.requests.map(({ body }) => textOf(body.messages.at(-1)));
    expect(last).toEqual(['first', 'second']);
  });

  it('continues after an answer that failed', async () => {
    const workspace = await newWorkspace();
    const provider = await answering({ status: 401 }, { text: 'two' });
    const ended = await workspace.detent(['chat', ...by(provider)], { input: 'first\nsecond\n' });
    expect(ended).toMatchObject({ code: 0, stdout: 'two\n' });
    expect(ended.stderr).toContain('MODEL_AUTH');
  });

  it('says how to decide on a call, and takes the next line as an answer to it', async () => {
    const workspace = await newWorkspace({ 'detent.config.ts': toolsConfig });
    const provider = await answering(note, { text: 'As you like.' });
    const input = 'note milk\nno, leave it\n';
    const ended = await workspace.detent(['chat', ...by(provider)], { input });
    expect(ended).toMatchObject({ code: 0, stdout: 'As you like.\n' });
    expect(ended.stderr).toContain('detent runs confirm');
    expect((await workspace.lookAtOne()).status).toBe('done');
  });

  it('continues a session, and first resumes what an earlier process left', async () => {
    const workspace = await newWorkspace();
    const provider = await answering(
      { text: 'half', ending: 'hang' },
      { text: 'the first answer' },
      { text: 'the second' },
    );
    const session = ['--session', 's', ...by(provider)];
    const live = workspace.start(['run', 'first', ...session]);
    await live.saw('stdout', /half/);
    live.kill('SIGKILL');
    await live.ended;
    const ended = await workspace.detent(['chat', ...session], { input: 'second\n' });
    expect(ended).toMatchObject({ code: 0, stdout: 'the first answer\nthe second\n' });
  });

  it('performs commands between the lines, and passes over what it does not know', async () => {
    const workspace = await newWorkspace();
    const provider = await answering({ text: 'one' }, { text: 'two' });
    const lines = [
      '/help',
      'first',
      '/usage',
      '/session new',
      '/model any/other',
      '/modle',
      '//second',
      '/quit',
      'x',
    ];
    const args = ['chat', '--session', 's', ...by(provider)];
    const { code, stdout, stderr } = await workspace.detent(args, { input: lines.join('\n') });
    expect(code).toBe(0);
    expect(stdout).toMatch(
      /\/quit .*\none\nsession {2}s: 1 run.*\n.* 10 in, 5 out\n.*the session is now chat_/s,
    );
    expect(stdout).toMatch(/any\/other at http.*\ntwo\n$/);
    expect(stderr).toContain('did you mean /model?');
    const asked = provider.requests.map(({ body }) => [body.model, textOf(body.messages.at(-1))]);
    expect(asked).toEqual([
      ['model', 'first'],
      ['other', '/second'],
    ]);
    expect(provider.requests[1]?.body.messages).toHaveLength(2);
  });

  it('gives up a run that waits for a decision, for /cancel', async () => {
    const workspace = await newWorkspace({ 'detent.config.ts': toolsConfig });
    const provider = await answering(note);
    const input = 'note milk\n/cancel\n/cancel\n';
    const ended = await workspace.detent(['chat', ...by(provider)], { input });
    expect(ended).toMatchObject({
      code: 0,
      stderr: expect.stringMatching(/was cancelled\nthere is nothing/),
    });
    expect((await workspace.lookAtOne()).status).toBe('cancelled');
  });

  it('keeps no history of what a program says', async () => {
    const workspace = await newWorkspace();
    const provider = await answering({ text: 'one' });
    await workspace.detent(['chat', ...by(provider)], { input: 'first\n' });
    expect(existsSync(workspace.path('.detent/chat-history'))).toBe(false);
  });

  it('cancels only the answer on an interrupt', async () => {
    const workspace = await newWorkspace();
    const provider = await answering({ text: 'half', ending: 'hang' }, { text: 'whole' });
    const live = workspace.start(['chat', ...by(provider)]);
    live.write('first\n');
    await live.saw('stdout', /half/);
    live.kill('SIGINT');
    await live.saw('stderr', /was cancelled/);
    live.write('second\n');
    await live.saw('stdout', /whole/);
    live.endInput();
    expect((await live.ended).code).toBe(0);
  });
});
