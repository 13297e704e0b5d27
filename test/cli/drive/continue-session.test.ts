import { describe, expect, it } from 'vitest';
import { answering, by, newWorkspace, type Workspace } from '../../support/cli.ts';
import type { MockProvider } from '../../support/mock-provider.ts';

const agents = { coder: { systemPrompt: 'You code.' }, poet: { model: 'mock/poems' } };

/** A workspace whose configuration names the provider, two agents and a default model. */
async function configured(provider: MockProvider, extra: object = {}) {
  const { baseUrl } = provider;
  const config = { model: 'mock/usual', models: { mock: { baseUrl } }, agents, ...extra };
  return newWorkspace({ 'detent.config.json': JSON.stringify(config) });
}

const run = (workspace: Workspace, ...flags: string[]) => workspace.detent(['run', ...flags, 'go on']);
const modelsAsked = ({ requests }: MockProvider) => requests.map(({ body }) => body.model);
const said = (n: number) => Array.from({ length: n }, () => ({ text: 'Yes.' }));

describe.concurrent('run --session', () => {
  it('keeps the agent and the model of the newest run', async () => {
    const provider = await answering(...said(3));
    const workspace = await configured(provider);
    await run(workspace, '--session', 'k', '--agent', 'coder', '--model', 'mock/special');
    await run(workspace, '--session', 'k');
    expect(modelsAsked(provider)).toEqual(['special', 'special']);
    expect(provider.requests[1]?.body.messages[0]?.content).toContain('You code.');
    const { view } = await workspace.json(['runs', 'show', 'last', '--json']);
    expect(view.agent).toBe('coder');
    await run(workspace, '--session', 'other');
    expect(modelsAsked(provider)[2]).toBe('usual');
  });

  it('gives way to flags and DETENT_MODEL, and another agent brings its own model', async () => {
    const provider = await answering(...said(5));
    const workspace = await configured(provider);
    await run(workspace, '--session', 'k', '--model', 'mock/special');
    await run(workspace, '--session', 'k', '--model', 'mock/other');
    await workspace.detent(['run', '--session', 'k', 'go on'], { env: { DETENT_MODEL: 'mock/variable' } });
    await run(workspace, '--session', 'k', '--agent', 'poet');
    await run(workspace, '--session', 'k', '--agent', 'default');
    expect(modelsAsked(provider)).toEqual(['special', 'other', 'variable', 'poems', 'usual']);
  });

  it('keeps the fallbacks of a model that the configuration names, and gives none to another', async () => {
    const provider = await answering(...said(1), { status: 401 }, ...said(1), { status: 401 });
    const workspace = await configured(provider, { fallbacks: ['mock/second'] });
    await run(workspace, '--session', 'k');
    expect((await run(workspace, '--session', 'k')).code).toBe(0);
    expect(modelsAsked(provider)).toEqual(['usual', 'usual', 'second']);
    const named = await run(workspace, '--session', 'k', '--model', 'mock/special', '--max-retries', '0');
    expect(named.code).toBe(1);
    expect(modelsAsked(provider)[3]).toBe('special');
  });

  it('leaves the demo, which only stood in for a key, as soon as there is a model', async () => {
    const provider = await answering(...said(1));
    const workspace = await newWorkspace();
    await run(workspace, '--session', 'k');
    await workspace.write(
      'detent.config.json',
      JSON.stringify({ model: 'mock/usual', models: { mock: { baseUrl: provider.baseUrl } } }),
    );
    await run(workspace, '--session', 'k');
    expect(modelsAsked(provider)).toEqual(['usual']);
    await run(workspace, '--session', 'k', '--model', 'demo/demo');
    await run(workspace, '--session', 'k');
    expect(provider.requests).toHaveLength(1);
  });

  it('prints the whole command when nothing names the address of the model now, and sends nothing', async () => {
    const provider = await answering(...said(2));
    const workspace = await newWorkspace();
    const address = ['--api', 'chat', ...by(provider, 'any/m')];
    await run(workspace, '--session', 'my talk', ...address);
    for (const command of ['run', 'chat']) {
      const words = command === 'run' ? ['go on'] : [];
      const { code, stderr } = await workspace.detent([command, '--session', 'my talk', ...words]);
      expect(code).toBe(3);
      expect(stderr).toContain(
        `detent ${command} --session 'my talk' --model any/m --base-url ${provider.baseUrl} --api chat${command === 'run' ? ' "PROMPT"' : '\n'}`,
      );
    }
    expect(provider.requests).toHaveLength(1);
    const [, , ...onlyAddress] = by(provider);
    expect((await run(workspace, '--session', 'my talk', ...onlyAddress)).code).toBe(0);
    expect(modelsAsked(provider)).toEqual(['m', 'm']);
  });

  it('says which agents there are when that of the session is gone', async () => {
    const provider = await answering(...said(1));
    const workspace = await configured(provider);
    await run(workspace, '--session', 'k', '--agent', 'coder');
    await workspace.write('detent.config.json', '{}');
    const { code, stderr } = await run(workspace, '--session', 'k');
    expect([code, stderr]).toEqual([
      2,
      expect.stringContaining('agent "coder", which is no longer configured'),
    ]);
    expect((await run(workspace, '--session', 'k', '--agent', 'default', '--model', 'demo/demo')).code).toBe(
      0,
    );
  });

  it('looks at runs of the conversation alone: not at compactions, nor at imported ones', async () => {
    const provider = await answering(...said(4));
    const workspace = await configured(provider);
    await run(workspace, '--session', 'k', '--agent', 'coder', '--model', 'mock/special');
    await workspace.detent(['sessions', 'compact', 'k', '--model', 'mock/usual']);
    await run(workspace, '--session', 'k');
    expect(modelsAsked(provider).at(-1)).toBe('special');
    await workspace.detent(['sessions', 'export', 'k', '--output', workspace.path('k.jsonl')]);
    await workspace.detent(['sessions', 'import', workspace.path('k.jsonl'), '--session', 'copy']);
    await run(workspace, '--session', 'copy');
    expect(modelsAsked(provider).at(-1)).toBe('usual');
  });
});

describe.concurrent('chat --session', () => {
  it('keeps the agent and the model, too', async () => {
    const provider = await answering(...said(2));
    const workspace = await configured(provider);
    const flags = ['chat', '--session', 'k'];
    await workspace.detent([...flags, '--agent', 'coder', '--model', 'mock/special'], { input: 'hello\n' });
    await workspace.detent(flags, { input: 'hello\n/model\n' });
    expect(modelsAsked(provider)).toEqual(['special', 'special']);
    expect(provider.requests[1]?.body.messages[0]?.content).toContain('You code.');
  });
});

describe.concurrent('--continue', () => {
  it('means the session of the newest run', async () => {
    const workspace = await newWorkspace();
    await run(workspace, '--session', 'a');
    await run(workspace, '--session', 'b');
    await run(workspace, '--session', 'a');
    await run(workspace, '--continue');
    await workspace.detent(['chat', '--continue'], { input: 'hello\n' });
    const { view } = await workspace.json<{ sessionId: string }[]>(['runs', 'list', '--json']);
    expect(view.map(({ sessionId }) => sessionId)).toEqual(['a', 'a', 'a', 'b', 'a']);
  });

  it('finds nothing before there is a session, and goes without --session', async () => {
    const workspace = await newWorkspace();
    expect(await run(workspace, '--continue')).toMatchObject({
      code: 4,
      stderr: expect.stringContaining('there are no runs here yet'),
    });
    expect(await run(workspace, '--continue', '--session', 'k')).toMatchObject({ code: 2 });
  });
});
