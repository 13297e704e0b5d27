import { truncateSync, writeFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import type { RunView } from '../../../../src/index.ts';
import { answering, by, hasTerminals, newWorkspace, type Workspace } from '../../../support/cli.ts';
import { textOf } from '../../../support/mock-provider.ts';
import { describeWith } from '../../../support/needs.ts';
import { pdf, png } from '../../../support/pictures.ts';

async function withPhoto(): Promise<Workspace> {
  const workspace = await newWorkspace({ 'notes.txt': 'two cats\n' });
  writeFileSync(workspace.path('photo.png'), png());
  writeFileSync(workspace.path('report.pdf'), pdf());
  return workspace;
}

/** The image that a request shows. */
function imageIn(content: unknown): unknown {
  const parts = Array.isArray(content) ? content : [];
  return parts.find((part) => part.type === 'image_url')?.image_url.url;
}

const image = `data:image/png;base64,${png().toString('base64')}`;

describe.concurrent('detent run --attach', () => {
  it('sends files with the prompt, and says in its views that there were some', async () => {
    const workspace = await withPhoto();
    const provider = await answering({ text: 'A cat.' });
    const files = ['--attach', 'photo.png', '--attach', 'report.pdf', '--attach=notes.txt'];
    const { code, view, stdout } = await workspace.json<RunView>(['run', 'What?', ...files, ...by(provider)]);
    expect({ code, text: view.text }).toEqual({ code: 0, text: 'A cat.' });
    const said = provider.requests[0]?.body.messages.at(-1);
    expect(textOf(said)).toBe(
      'What?\n\n[File notes.txt, 9 B]\ntwo cats\n[End of notes.txt]\n[image photo.png, 70 B]',
    );
    expect(imageIn(said?.content)).toBe(image);
    expect(view.attachments?.map(({ name }) => name)).toEqual(['photo.png', 'report.pdf']);
    expect(stdout).not.toContain('iVBOR');
    const shown = await workspace.detent(['runs', 'show', view.runId]);
    expect(shown.stdout).toContain('with     [image photo.png, 70 B]\nwith     [file report.pdf, 77 B]\n');
    const session = await workspace.detent(['sessions', 'show', view.sessionId]);
    expect(session.stdout).toContain('  [image photo.png, 70 B]\n');
  });

  it('takes a file from anywhere, by a path from the current folder', async () => {
    const [workspace, other] = [await newWorkspace(), await withPhoto()];
    const provider = await answering({ text: 'A cat.' });
    const place = ['--workspace', workspace.folder];
    const { code } = await workspace.detent(
      ['run', 'What?', '--attach', 'photo.png', ...place, ...by(provider)],
      {
        cwd: other.folder,
      },
    );
    expect(code).toBe(0);
    expect(imageIn(provider.requests[0]?.body.messages.at(-1)?.content)).toBe(image);
  });

  it.each([
    ['a file that is not there', 'none.png', /ATTACHMENT_NOT_FOUND|none\.png cannot be attached/],
    ['a folder', '.', /not a regular file/],
    ['an empty file', 'empty', /is empty/],
    ['a file of 100 MB', 'big', /100\.0 MB/],
  ])('refuses %s with exit code 2, and makes no run', async (_, file, words) => {
    const workspace = await newWorkspace({ empty: '', big: '' });
    truncateSync(workspace.path('big'), 100_000_000);
    const { code, stderr } = await workspace.detent(['run', 'What?', '--attach', file]);
    expect(code).toBe(2);
    expect(stderr).toMatch(words);
    expect((await workspace.json(['runs', 'list'])).view).toEqual([]);
  });
});

describe.concurrent('/attach', () => {
  it('sends a file with the next message alone', async () => {
    const workspace = await withPhoto();
    const provider = await answering({ text: 'A cat.' }, { text: 'Sure.' });
    const input = '/attach\n/attach none.png\n/attach photo.png\n/attach notes.txt\nWhat?\nSure?\n';
    const { code, stdout, stderr } = await workspace.detent(['chat', ...by(provider)], { input });
    expect(code).toBe(0);
    expect(stderr).toContain('none.png cannot be attached');
    expect(stdout).toBe(
      [
        'no file is attached to the next message; attach one with: /attach FILE',
        'attached to the next message: photo.png (70 B)',
        'attached to the next message: photo.png (70 B), notes.txt (9 B)',
        'A cat.',
        'Sure.',
        '',
      ].join('\n'),
    );
    const last = provider.requests.map(({ body }) => body.messages.at(-1)?.content);
    expect(last.map(imageIn)).toEqual([image, undefined]);
  });

  it('drops what was attached', async () => {
    const workspace = await withPhoto();
    const provider = await answering({ text: 'Hi.' });
    await workspace.detent(['chat', ...by(provider)], { input: '/attach photo.png\n/attach -\nHello\n' });
    expect(provider.requests[0]?.body.messages.at(-1)?.content).toBe('Hello');
  });
});

describeWith(hasTerminals, 'the program /usr/bin/script is missing')('an attachment on a terminal', () => {
  it('waits for the next message when its own could not be sent', async () => {
    const workspace = await withPhoto();
    const provider = await answering({ text: 'A cat.' });
    const live = workspace.onTerminal(['chat', ...by(provider, 'mock/deepseek-chat')]);
    await live.saw('stdout', /^> $/m);
    live.write('/attach photo.png\r');
    await live.saw('stdout', /attached to the next message: photo\.png \(70 B\)\n> $/);
    live.write('What?\r');
    await live.saw('stdout', /does not accept it.*kept for the next message: photo\.png \(70 B\).*\n> $/s);
    live.write('/model mock/other\r');
    await live.saw('stdout', /from the next message on: mock\/other.*\n> $/);
    live.write('What?\r');
    await live.saw('stdout', /A cat\.\n> $/);
    live.write('/quit\r');
    expect((await live.ended).code).toBe(0);
    expect(provider.requests.map(({ body }) => imageIn(body.messages.at(-1)?.content))).toEqual([image]);
  });
});
