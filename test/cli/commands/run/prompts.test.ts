import { describe, expect, it } from 'vitest';
import { answering, by, newWorkspace } from '../../../support/cli.ts';
import { textOf } from '../../../support/mock-provider.ts';

describe.concurrent('the prompt', () => {
  it('may begin with a dash behind --', async () => {
    const workspace = await newWorkspace();
    const provider = await answering({ text: 'ok' });
    const { code } = await workspace.detent(['run', ...by(provider), '--', '--help me']);
    expect(code).toBe(0);
    expect(textOf(provider.requests[0]?.body.messages.at(-1))).toBe('--help me');
  });

  it('from an empty stdin is empty, too', async () => {
    const workspace = await newWorkspace();
    const ended = await workspace.detent(['run', '-'], { input: '' });
    expect(ended.code).toBe(2);
    expect(ended.stderr).toContain('empty');
  });

  it('of more than 1 MB is refused, with a remedy', async () => {
    const workspace = await newWorkspace();
    const ended = await workspace.detent(['run', '-'], { input: 'x'.repeat(1_000_001) });
    expect(ended).toMatchObject({ code: 2, stdout: '' });
    expect(ended.stderr).toContain('maxPromptBytes');
  });
});

describe.concurrent('--system', () => {
  const systemOf = async (args: string[], files: Record<string, string> = {}) => {
    const workspace = await newWorkspace(files);
    const provider = await answering({ text: 'ok' });
    const { code } = await workspace.detent(['run', 'hi', ...args, ...by(provider)]);
    expect(code).toBe(0);
    return provider.requests[0]?.body.messages.find(({ role }) => role === 'system');
  };

  it('is the system prompt', async () => {
    expect(await systemOf(['--system', 'You are terse.'])).toMatchObject({ content: 'You are terse.' });
  });

  it('@file reads it from a file', async () => {
    const message = await systemOf(['--system', '@rules.md'], { 'rules.md': 'Be kind.\nBe brief.\n' });
    expect(textOf(message)).toBe('Be kind.\nBe brief.\n');
  });

  it('beats the one of the configuration, which is the default', async () => {
    const files = { 'detent.config.json': '{"system":"From the configuration."}' };
    expect(textOf(await systemOf([], files))).toBe('From the configuration.');
    expect(textOf(await systemOf(['--system', 'From the flag.'], files))).toBe('From the flag.');
  });

  it('may be empty, and is then not sent', async () => {
    expect(await systemOf(['--system', ''])).toBeUndefined();
  });

  it('names the file that cannot be read', async () => {
    const workspace = await newWorkspace();
    const ended = await workspace.detent(['run', 'hi', '--system', '@missing.md']);
    expect(ended.code).toBe(2);
    expect(ended.stderr).toContain('missing.md');
  });
});
