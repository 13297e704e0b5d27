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

  it('gives way to other flags', async () => {
    const workspace = await newWorkspace(files);
    const provider = await answering({ calls: [{ name: 'list_files' }] }, { text: 'ok' });
    const args = [
      'run',
      'hi',
      '--agent',
      'reviewer',
      '--system',
      'Mine.',
      '--max-steps',
      '5',
      ...by(provider),
    ];
    const { view } = await workspace.json(args);
    expect(view).toMatchObject({ status: 'done', agent: 'reviewer' });
    expect(provider.requests[0]?.body.messages[0]?.content).toBe('Mine.');
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

  it('with a limit for prompts of its own may be longer-winded than others', async () => {
    const patient = {
      agents: { patient: { limits: { maxPromptBytes: 100 } } },
      limits: { maxPromptBytes: 10 },
    };
    const workspace = await newWorkspace({ 'detent.config.json': JSON.stringify(patient) });
    const provider = await answering({ text: 'ok' });
    const input = 'more than ten bytes';
    const named = await workspace.detent(['run', '-', '--agent', 'patient', ...by(provider)], { input });
    expect(named.code).toBe(0);
    expect(provider.requests[0]?.body.messages[1]?.content).toBe(input);
    expect((await workspace.detent(['run', '-', ...by(provider)], { input })).code).toBe(2);
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

describe.concurrent('--model without a provider', () => {
  const config = (...names: string[]) => ({
    'detent.config.json': JSON.stringify({
      models: Object.fromEntries(
        names.map((name) => [name, { baseUrl: 'http://127.0.0.1:9/v1', models: { 'qwen3:8b': {} } }]),
      ),
      limits: { maxRetries: 0 },
    }),
  });

  it('is that of the one provider that lists it', async () => {
    const workspace = await newWorkspace(config('house'));
    const { view } = await workspace.json(['run', 'hi', '--model', 'qwen3:8b']);
    expect(view.error?.message).toContain('http://127.0.0.1:9');
  });

  it.each([
    [['house', 'garden'], 'house/qwen3:8b, garden/qwen3:8b'],
    [[], '"qwen3:8b" is not a model name'],
  ])('is a usage error when %j list it', async (names, message) => {
    const workspace = await bareWorkspace(config(...names));
    const ended = await workspace.detent(['run', 'hi', '--model', 'qwen3:8b']);
    expect(ended.code).toBe(2);
    expect(ended.stderr).toContain(message);
  });
});
