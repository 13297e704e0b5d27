import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { ChatHistory } from '../../../../src/cli/commands/chat/history.ts';
import { createRedactor } from '../../../../src/runtime/config/redaction.ts';
import { bareWorkspace } from '../../../support/cli.ts';
import { itDeep } from '../../../support/deep.ts';

const same = (text: string) => text;

async function newHistory(redact: (text: string) => string = same) {
  const workspace = await bareWorkspace();
  const file = workspace.path('.detent/chat-history');
  const open = () => new ChatHistory(workspace.folder, redact);
  return { workspace, file, open };
}

describe('the history of a chat', () => {
  it('is there again in the next chat, newest first, with messages of several lines whole', async () => {
    const { open } = await newHistory();
    const first = open();
    first.add('one');
    first.add('two\nlines \u{1f600}');
    expect(open().entries).toEqual(['two\nlines \u{1f600}', 'one']);
  });

  it('can be read by its owner alone, even when the file was open to others', async () => {
    const { workspace, file, open } = await newHistory();
    mkdirSync(workspace.path('.detent'));
    writeFileSync(file, '"old"\n');
    chmodSync(file, 0o644);
    open().add('new');
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(open().entries).toEqual(['new', 'old']);
  });

  it('has no secrets in it', async () => {
    const { file, open } = await newHistory(createRedactor({ SHOP_TOKEN: 'tok-12345678' }).redact);
    const history = open();
    history.add('use tok-12345678 please');
    expect(history.entries).toEqual(['use [redacted:SHOP_TOKEN] please']);
    expect(readFileSync(file, 'utf8')).not.toContain('tok-12345678');
  });

  it('passes over empty lines, repeats, and what is too long to bring back', async () => {
    const { open } = await newHistory();
    const history = open();
    for (const text of ['a', 'a', ' ', '', 'x'.repeat(10_001), 'b', 'a']) history.add(text);
    expect(history.entries).toEqual(['a', 'b', 'a']);
  });

  itDeep('does not grow for ever', async () => {
    const { file, open } = await newHistory();
    const history = open();
    for (let i = 0; i < 700; i++) history.add(`message ${i}`);
    expect(history.entries).toHaveLength(500);
    expect(open().entries[0]).toBe('message 699');
    expect(readFileSync(file, 'utf8').split('\n')).toHaveLength(501);
    expect(statSync(file).mode & 0o777).toBe(0o600);
  });

  it('passes over a line that was torn', async () => {
    const { workspace, file, open } = await newHistory();
    mkdirSync(workspace.path('.detent'));
    writeFileSync(file, '"one"\n{"not":"text"}\n"two"\n"thr');
    expect(open().entries).toEqual(['two', 'one']);
  });

  it('is kept in memory where it cannot be written', async () => {
    const { workspace, file, open } = await newHistory();
    writeFileSync(workspace.path('.detent'), 'a file where the folder would be');
    const history = open();
    history.add('one');
    expect(history.entries).toEqual(['one']);
    expect(existsSync(file)).toBe(false);
  });

  itDeep('loses no message of another chat while it is shortened', async () => {
    const { workspace, file, open } = await newHistory();
    const old = Array.from({ length: 501 }, (_, i) => `"old ${i}"\n`).join('');
    mkdirSync(workspace.path('.detent'));
    writeFileSync(file, old);
    const script = new URL('./children/chatter.ts', import.meta.url).pathname;
    const other = spawn(process.execPath, [script, workspace.folder, '300'], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const ended = once(other, 'exit');
    await once(other.stdout, 'data');
    while (other.exitCode === null) {
      open();
      await new Promise(setImmediate);
    }
    expect(await ended).toEqual([0, null]);
    const entries = new Set(open().entries);
    expect(Array.from({ length: 300 }, (_, i) => `other ${i}`).filter((text) => !entries.has(text))).toEqual(
      [],
    );
  });
});
