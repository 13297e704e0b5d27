// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the marks of configurations look like templates
import { describe, expect, it } from 'vitest';
import { configFields } from '../../../../src/protocol/config/list-fields.ts';
import type { EffectiveValue } from '../../../../src/runtime/settings/effective.ts';
import { answering, bareWorkspace, by, type CliOptions } from '../../../support/cli.ts';

interface Shown {
  workspace: string;
  file: string | null;
  agent: string;
  values: Record<string, EffectiveValue>;
}

const yaml = `
model: qwen3
models:
  house:
    baseUrl: http://me:\${HOUSE_PASSWORD}@127.0.0.1:9/v1
    apiKeyEnv: HOUSE
    headers: { x-short: '\${SHORT_TOKEN}', x-plain: written-here }
    models: { qwen3: { contextWindow: 1000 }, gpt-4.1: { contextWindow: 2000 } }
system: Say \${SHORT_TOKEN} and \${HOUSE_PASSWORD}, but never \${HOUSE}.
limits: { maxSteps: 9, maxTokens: 500 }
agents:
  reviewer: { systemPrompt: You review., limits: { maxSteps: 7 }, tools: ['@files'] }
`;
const env = { SHORT_TOKEN: 'q7', HOUSE_PASSWORD: 'open-sesame-42', HOUSE: 'key-of-the-house-1' };

async function show(args: string[], options: CliOptions = {}) {
  const workspace = await bareWorkspace({ 'detent.config.yaml': yaml });
  const ended = await workspace.json<Shown>(['config', 'show', ...args], {
    ...options,
    env: { ...env, ...options.env },
  });
  expect(ended.code).toBe(0);
  return { ...ended, workspace };
}

describe.concurrent('detent config show', () => {
  it('tells of every field its value and who says so', async () => {
    const { view, workspace } = await show(['--max-retries', '1'], {
      env: { DETENT_LIMITS_MAX_TOKENS: '80' },
    });
    expect(view).toMatchObject({
      workspace: workspace.folder,
      file: workspace.path('detent.config.yaml'),
      agent: 'default',
    });
    for (const { path } of configFields()) expect(view.values).toHaveProperty([path]);
    expect(view.values['limits.maxRetries']).toEqual({ value: 1, source: 'flag', from: '--max-retries' });
    expect(view.values['limits.maxTokens']).toEqual({
      value: 80,
      source: 'variable',
      from: 'DETENT_LIMITS_MAX_TOKENS',
    });
    expect(view.values['limits.maxSteps']).toEqual({
      value: 9,
      source: 'file',
      from: 'detent.config.yaml:limits.maxSteps',
    });
    expect(view.values['limits.maxErrors']).toEqual({ value: 3, source: 'default', from: null });
    expect(view.values.model).toMatchObject({ value: 'house/qwen3', from: 'detent.config.yaml:model' });
    expect(view.values['models.house.models.gpt-4.1.contextWindow']?.value).toBe(2000);
  });

  it('shows what an agent would use', async () => {
    const { view } = await show(['--agent', 'reviewer']);
    expect(view.values.system).toMatchObject({
      value: 'You review.',
      from: 'detent.config.yaml:agents.reviewer.systemPrompt',
    });
    expect(view.values['limits.maxSteps']?.value).toBe(7);
    expect(view.values['tools.allowed']?.from).toBe('detent.config.yaml:agents.reviewer.tools');
    expect(view.values.model?.from).toBe('detent.config.yaml:model');
  });

  it('says what a run then does', async () => {
    const { workspace, view } = await show(['--agent', 'reviewer']);
    const provider = await answering({ text: 'ok' });
    await workspace.detent(['run', 'hi', '--agent', 'reviewer', ...by(provider)], { env });
    expect(provider.requests[0]?.body.messages[0]?.content).toBe(view.values.system?.value);
  });

  it.each([[['--json']], [[]]])(
    'shows no secret, however short, in the file or filled in: %j',
    async (args) => {
      const { workspace } = await show([]);
      const { code, stdout, stderr } = await workspace.detent(['config', 'show', ...args], { env });
      expect(code).toBe(0);
      for (const secret of [...Object.values(env), 'written-here'])
        expect(stdout + stderr).not.toContain(secret);
      expect(stdout).toContain('[redacted:SHORT_TOKEN]');
      expect(stdout).toContain('http://***@127.0.0.1:9/v1');
    },
  );

  it('without a file shows what there is by default', async () => {
    const workspace = await bareWorkspace();
    const { view } = await workspace.json<Shown>(['config', 'show']);
    expect(view.file).toBeNull();
    expect(view.values.model).toEqual({ value: 'demo/demo', source: 'default', from: null });
    expect(new Set(Object.values(view.values).map(({ source }) => source))).toEqual(new Set(['default']));
  });

  it('shows tools by name, and a model or a schema of one’s own in words', async () => {
    const workspace = await bareWorkspace({
      'detent.config.ts': `
        import { defineTool } from 'detent';
        import * as z from 'zod';
        const shout = defineTool({ name: 'shout', description: '', jsonSchema: { type: 'object' }, sideEffect: 'readonly', run: () => 1 });
        export default { tools: { define: [shout] }, models: { mine: { generate: async () => process.env.HOUSE } }, agents: { brief: { output: z.object({ a: z.string() }) } } };`,
    });
    const { view } = await workspace.json<Shown>(['config', 'show'], { env });
    expect(view.values['tools.define']?.value).toEqual(['shout']);
    expect(view.values['models.mine']?.value).toBe('(a model of the file)');
    expect(view.values['agents.brief.output']?.value).toBe('(a schema of the file)');
  });

  it('is for people a table with the same', async () => {
    const { workspace } = await show([]);
    const { stdout } = await workspace.detent(['config', 'show'], { env });
    expect(stdout).toMatch(/^limits\.maxSteps +9 +detent\.config\.yaml:limits\.maxSteps$/m);
    expect(stdout).toMatch(/^limits\.maxErrors +3 +default$/m);
  });
});

describe.concurrent('detent config path', () => {
  it('prints where the file is', async () => {
    const workspace = await bareWorkspace({ 'detent.config.yml': '' });
    const { code, stdout } = await workspace.detent(['config', 'path']);
    expect({ code, stdout }).toEqual({ code: 0, stdout: `${workspace.path('detent.config.yml')}\n` });
  });
});
