import { describe, expect, it } from 'vitest';
import { answering, bareWorkspace, by, newWorkspace } from '../../../support/cli.ts';

const agents = {
  default: { systemPrompt: 'You are the house.' },
  reviewer: { systemPrompt: 'You review.', tools: ['@files'], limits: { maxSteps: 1 } },
};
const files = { 'detent.config.json': JSON.stringify({ agents }) };

describe.concurrent('--agent', () => {
  it('runs the agent of that name; without it "default"', async () => {
    const workspace = await newWorkspace(files);
    const provider = await answering({ text: '1' }, { text: '2' });
    const named = await workspace.json(['run', 'hi', '--agent', 'reviewer', ...by(provider)]);
    const other = await workspace.json(['run', 'hi', ...by(provider)]);
    expect(named.view.agent).toBe('reviewer');
    expect(other.view).not.toHaveProperty('agent');
    expect(provider.requests.map(({ body }) => body.messages[0]?.content)).toEqual([
      'You review.',
      'You are the house.',
    ]);
    expect(provider.requests[0]?.body.tools?.map((tool) => tool.function.name)).toContain('read_file');
    expect(provider.requests[0]?.body.tools?.map((tool) => tool.function.name)).not.toContain('calculator');
    const shown = await workspace.json(['runs', 'show', named.view.runId]);
    expect(shown.view.agent).toBe('reviewer');
  });

  it('chooses who a chat is with', async () => {
    const workspace = await newWorkspace(files);
    const provider = await answering({ text: 'hello' });
    const { code } = await workspace.detent(['chat', '--agent', 'reviewer', ...by(provider)], {
      input: 'hi\n',
    });
    expect({ code, asked: provider.requests[0]?.body.messages[0]?.content }).toEqual({
      code: 0,
      asked: 'You review.',
    });
  });

  it('with an unknown name is a usage error that suggests the nearest and lists all, and makes no database', async () => {
    const workspace = await bareWorkspace(files);
    const ended = await workspace.detent(['run', 'hi', '--agent', 'reviewr']);
    expect(ended).toMatchObject({ code: 2, stdout: '' });
    expect(ended.stderr).toMatch(/did you mean "reviewer"\?; there are default, reviewer/);
    expect((await workspace.json<unknown[]>(['runs', 'list'])).view).toEqual([]);
  });
});

describe.concurrent('--tools', () => {
  it('takes sets: built-in ones, and those of the configuration', async () => {
    const sets = { tools: { sets: { reading: ['read_file', 'list_files'] } } };
    const workspace = await newWorkspace({ 'detent.config.json': JSON.stringify(sets) });
    const provider = await answering({ text: 'ok' });
    const args = ['run', 'hi', '--tools', '@math,@reading', '--quiet', ...by(provider)];
    expect(await workspace.detent(args)).toMatchObject({ code: 0, stderr: '' });
    expect(provider.requests[0]?.body.tools?.map((tool) => tool.function.name)).toEqual([
      'calculator',
      'list_files',
      'read_file',
      'unit_convert',
    ]);
  });
});
