import { readdirSync } from 'node:fs';
import OpenAI from 'openai';
import { describe, expect, it } from 'vitest';
import { providersOf } from '../../../../src/cli/commands/models/list.ts';
import type { ToolView } from '../../../../src/index.ts';
import { presets } from '../../../../src/models/catalogue/presets.ts';
import { bareWorkspace, hasTerminals } from '../../../support/cli.ts';
import { toolsConfig } from '../../../support/tools-config.ts';

interface Models {
  default: { model: string | null; why: string };
  providers: {
    name: string;
    kind: string;
    baseUrl: string | null;
    apiKeyEnv: string | null;
    hasKey: boolean;
    models: unknown[];
  }[];
}

const key = 'sk-live-0123456789abcdef';
const models = {
  house: {
    baseUrl: 'http://127.0.0.1:9/v1',
    apiKeyEnv: 'HOUSE',
    models: { big: { contextWindow: 1000, price: { inputUsd: 1, outputUsd: 2 } }, '*': {} },
  },
  openai: { models: { 'gpt-5': {} } },
};

describe.concurrent('detent models list', () => {
  it('lists known and configured providers, their keys, models, windows and prices', async () => {
    const workspace = await bareWorkspace({ 'detent.config.json': JSON.stringify({ models }) });
    const ended = await workspace.json<Models>(['models', 'list'], { env: { HOUSE: key } });
    const { providers } = ended.view;
    const names = providers.map(({ name }) => name);
    expect(names).toEqual(expect.arrayContaining(['house', 'demo', ...Object.keys(presets)]));
    expect(new Set(names).size).toBe(names.length);
    expect(providers.find(({ name }) => name === 'house')).toEqual({
      name: 'house',
      kind: 'configured',
      aliases: [],
      api: 'chat',
      baseUrl: 'http://127.0.0.1:9/v1',
      apiKeyEnv: 'HOUSE',
      hasKey: true,
      needsKey: true,
      models: [
        { id: 'big', contextWindow: 1000, price: { inputUsd: 1, outputUsd: 2 } },
        { id: '*', contextWindow: 128_000, price: null },
      ],
    });
    expect(providers.find(({ name }) => name === 'openai')).toMatchObject({
      baseUrl: presets.openai?.baseUrl,
      apiKeyEnv: 'OPENAI_API_KEY',
      hasKey: false,
      needsKey: true,
    });
    expect(providers.find(({ name }) => name === 'anthropic')).toMatchObject({
      kind: 'known',
      api: 'messages',
      aliases: ['claude'],
    });
    expect(providers.find(({ name }) => name === 'ollama')).toMatchObject({ needsKey: false });
    expect(ended.stdout + ended.stderr).not.toContain(key);
    expect(readdirSync(workspace.folder)).toEqual(['detent.config.json']);
  });

  it('need no key where a client of the openai package makes the calls', () => {
    const client = new OpenAI({ apiKey: 'theirs', baseURL: 'http://127.0.0.1:9/v1' });
    const openai = providersOf({ models: { openai: { client } } }, {}).find(({ name }) => name === 'openai');
    expect(openai).toMatchObject({
      baseUrl: 'http://127.0.0.1:9/v1',
      apiKeyEnv: null,
      hasKey: null,
      needsKey: false,
    });
    expect(JSON.stringify(openai)).not.toContain('theirs');
  });

  it.each([
    [{}, {}, 'demo/demo', /no key/],
    [{}, { OPENAI_API_KEY: key }, 'openai/gpt-5-mini', /OPENAI_API_KEY/],
    [{ models, model: 'big' }, {}, 'house/big', /configuration/],
    [{ models, agents: { default: { model: 'big' } } }, {}, 'house/big', /agent "default"/],
    [{ models, model: 'big' }, { DETENT_MODEL: 'demo/demo' }, 'demo/demo', /DETENT_MODEL/],
    [{}, { DETENT_MODEL: 'nonesuch' }, null, /not a model name/],
  ])('of %j with %j names %s as the default, and why', async (config, env, model, why) => {
    const workspace = await bareWorkspace({ 'detent.config.json': JSON.stringify(config) });
    const { view } = await workspace.json<Models>(['models', 'list'], { env: env as Record<string, string> });
    expect(view.default.model).toBe(model);
    expect(view.default.why).toMatch(why);
  });

  it('says the same in a table', async () => {
    const workspace = await bareWorkspace({ 'detent.config.json': JSON.stringify({ models }) });
    const { code, stdout } = await workspace.detent(['models', 'list']);
    expect(code).toBe(0);
    expect(stdout).toMatch(/^house +configured +chat +http:\/\/127\.0\.0\.1:9\/v1 +HOUSE is not set$/m);
    expect(stdout).toMatch(/^house\/big +1,000 tokens +\$1 in, \$2 out/m);
    expect(stdout).toMatch(/^moonshot, kimi +known +chat .* MOONSHOT_API_KEY is not set$/m);
    expect(stdout).toMatch(/^ollama +known +chat .* no key needed; OLLAMA_API_KEY if there is one$/m);
    expect(stdout).toContain('default: demo/demo (no key is set)');
  });
});

describe.concurrent('detent tools list', () => {
  interface Tools {
    tools: ToolView[];
    sets: Record<string, string[]>;
  }

  it('lists class, who asks and why, parameters and sets, and makes no database', async () => {
    const workspace = await bareWorkspace({ 'detent.config.ts': toolsConfig });
    const { code, view } = await workspace.json<Tools>(['tools', 'list']);
    expect(code).toBe(0);
    const tool = (name: string) => view.tools.find((tool) => tool.name === name);
    expect(tool('note')).toMatchObject({ sideEffect: 'unsafe', asks: true, disabled: null });
    expect(tool('slow')).toMatchObject({ sideEffect: 'unsafe', asks: false, why: 'tool default: slow' });
    expect(tool('read_file')).toMatchObject({
      sideEffect: 'readonly',
      asks: false,
      parameters: { type: 'object', required: ['path'] },
    });
    expect(view.sets.math).toEqual(['calculator', 'unit_convert']);
    expect(readdirSync(workspace.folder)).toEqual(['detent.config.ts']);
  });

  it('marks those that are off, with the reason', async () => {
    const config = { tools: { allowed: ['@math', 'write_file'], disabled: ['write_file'] } };
    const workspace = await bareWorkspace({ 'detent.config.json': JSON.stringify(config) });
    const { stdout } = await workspace.detent(['tools', 'list']);
    expect(stdout).toMatch(/^calculator +readonly +does not ask /m);
    expect(stdout).toMatch(/^write_file +probe +off \(configuration: tools\.disabled has it\)/m);
    expect(stdout).toMatch(/^read_file +readonly +off \(configuration: tools\.allowed does not have it\)/m);
  });

  it('fits its lines to the terminal', async ({ skip }) => {
    if (!hasTerminals) skip();
    const workspace = await bareWorkspace();
    const live = workspace.onTerminal(['tools', 'list'], { size: { columns: 90, rows: 50 } });
    const [, ...lines] = (await live.ended).stdout.split('\r\n');
    const shell = lines.find((line) => line.startsWith('grep '));
    expect(shell).toMatch(/^grep +readonly +does not ask \(tool default\) +Searches the text .*…$/);
    expect(Math.max(...lines.slice(0, 10).map((line) => line.length))).toBe(90);
  });

  it('has every built-in set full of tools that exist', async () => {
    const workspace = await bareWorkspace();
    const { view } = await workspace.json<Tools>(['tools', 'list']);
    const names = view.tools.map(({ name }) => name);
    for (const [set, tools] of Object.entries(view.sets)) {
      // There is no shop here.
      if (set === 'shop') continue;
      expect(tools.length, set).toBeGreaterThan(0);
      // A pattern is for the tools of servers, of which there are none here.
      expect(names).toEqual(expect.arrayContaining(tools.filter((tool) => !tool.includes('*'))));
    }
  });
});
