import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { fullModelName } from '../../../src/models/catalogue/model-name.ts';
import { defaultModel, presetName, presetOf, presets } from '../../../src/models/catalogue/presets.ts';
import { usualQuirks } from '../../../src/models/catalogue/quirks.ts';
import { createModelDirectory } from '../../../src/models/directory.ts';
import type { ProviderConfig } from '../../../src/models/provider-config.ts';
import { checkConfig } from '../../../src/protocol/config/config.ts';
import { DetentError } from '../../../src/protocol/error.ts';
import { blocksOf, rowsOf } from '../../docs/markdown.ts';
import { type RecordedRequest, serve } from '../support/loopback.ts';

const whole = { choices: [{ message: { content: 'Hi' }, finish_reason: 'stop' }] };

/** What a server hears of a call through the directory. */
async function asked(
  name: string,
  env: Record<string, string>,
  providerOf: (baseUrl: string) => Record<string, ProviderConfig>,
): Promise<RecordedRequest | undefined> {
  const { baseURL, requests } = await serve((response) => response.end(JSON.stringify(whole)));
  const directory = createModelDirectory({ providers: providerOf(baseURL), env });
  const { chat, model } = await directory.resolve(name, null);
  await chat.generate(
    { model, messages: [{ role: 'user', text: 'Hi' }], tools: [], maxOutputTokens: 7_000 },
    { signal: new AbortController().signal, idempotencyKey: 'k', onDelta() {} },
  );
  return requests[0];
}

describe('known providers', () => {
  const entries = Object.entries(presets);

  it.each(entries)(
    '%s has an address, a variable, and a model to begin with unless it is one’s own',
    (_, preset) => {
      const { protocol, hostname } = new URL(preset.baseUrl);
      const isLocal = hostname === '127.0.0.1';
      expect(protocol).toBe(isLocal ? 'http:' : 'https:');
      expect(preset.apiKeyEnv).toMatch(/^[A-Z][A-Z_]+$/);
      expect(preset.isKeyOptional ?? false).toBe(isLocal);
      expect(preset.defaultModel === null).toBe(isLocal);
    },
  );

  it('have names and other names that all differ', () => {
    const names = entries.flatMap(([name, { aliases = [] }]) => [name, ...aliases]);
    expect(new Set([...names, 'demo']).size).toBe(names.length + 1);
    for (const name of names) expect(name).toMatch(/^[a-z0-9][a-z0-9.-]*$/);
  });

  it.each([
    ['kimi', 'moonshot'],
    ['qwen', 'dashscope'],
    ['glm', 'zhipu'],
    ['z.ai', 'zai'],
    ['grok', 'xai'],
    ['claude', 'anthropic'],
    ['lm-studio', 'lmstudio'],
    ['moonshot', 'moonshot'],
    ['nobody', 'nobody'],
  ])('%s is %s', (word, name) => {
    expect(presetName(word)).toBe(name);
    expect(fullModelName(`${word}/a/b`, {})).toBe(`${name}/a/b`);
    expect(presetOf(word)).toBe(presetOf(name));
  });

  it('choose the model by the first key that is set, never a server of one’s own', () => {
    expect(defaultModel({ MISTRAL_API_KEY: 'k', GROQ_API_KEY: 'k' })).toBe('groq/openai/gpt-oss-120b');
    expect(defaultModel({ MOONSHOT_API_KEY: 'k' })).toMatch(/^moonshot\/kimi-/);
    expect(defaultModel({ OLLAMA_API_KEY: 'k', VLLM_API_KEY: 'k', LM_API_TOKEN: 'k' })).toBe('demo/demo');
  });

  it('are in the documents as they are in the program', () => {
    const page = (name: string) => readFileSync(new URL(`../../../${name}`, import.meta.url), 'utf8');
    for (const [name, { baseUrl, apiKeyEnv, aliases = [], defaultModel }] of entries) {
      const row = page('docs/providers.md')
        .split('\n')
        .find((line) => line.startsWith(`| \`${name}\` |`));
      for (const word of [baseUrl, apiKeyEnv, ...aliases, ...(defaultModel ? [defaultModel] : [])])
        expect(row, name).toContain(`\`${word}\``);
    }
  });
});

describe('the configurations in docs/providers.md', () => {
  const blocks = blocksOf('docs/providers.md', 'yaml');

  it('are there', () => expect(blocks.length).toBeGreaterThan(1));

  it.each(blocks)('$place is one', ({ text, place }) => {
    expect(checkConfig(parse(text), place)).toHaveProperty('models');
  });

  it('name every quirk', () => {
    const rows = rowsOf(readFileSync(new URL('../../../docs/providers.md', import.meta.url), 'utf8'));
    for (const quirk of Object.keys(usualQuirks)) expect(rows.map(([name]) => name)).toContain(quirk);
  });
});

describe('a provider by another name', () => {
  const env = { MOONSHOT_API_KEY: 'sk-moon', OWN_KEY: 'sk-own' };

  it('is the configured one of its proper name', async () => {
    const request = await asked('kimi/kimi-k2.6', env, (baseUrl) => ({ moonshot: { baseUrl } }));
    expect(request?.headers.authorization).toBe('Bearer sk-moon');
    expect(JSON.parse(request?.body ?? '').model).toBe('kimi-k2.6');
  });

  it('gives way to one that the configuration calls so, which is still known for the rest', async () => {
    const request = await asked('kimi/kimi-k2.6', env, (baseUrl) => ({
      kimi: { baseUrl, apiKeyEnv: 'OWN_KEY' },
    }));
    expect(request?.headers.authorization).toBe('Bearer sk-own');
    expect(JSON.parse(request?.body ?? '')).toMatchObject({ max_completion_tokens: 7_000 });
  });

  it('asks for the key of its proper name', async () => {
    const directory = createModelDirectory({ providers: {}, env: {} });
    await expect(directory.resolve('glm/glm-5', null)).rejects.toMatchObject({
      code: 'MISSING_KEY',
      details: { provider: 'zhipu', variable: 'ZHIPU_API_KEY' },
    });
  });
});

describe('a server of one’s own', () => {
  it.each(['ollama', 'vllm', 'lmstudio'])(
    '%s is asked without a key, and with one that is set',
    async (name) => {
      const preset = presetOf(name);
      const directory = createModelDirectory({ providers: {}, env: {} });
      await expect(directory.resolve(`${name}/qwen3`, null)).resolves.toMatchObject({ model: 'qwen3' });
      const at = (baseUrl: string) => ({ [name]: { baseUrl } });
      expect((await asked(`${name}/qwen3`, {}, at))?.headers.authorization).toBeUndefined();
      const env = { [preset?.apiKeyEnv ?? '']: 'sk-local' };
      expect((await asked(`${name}/qwen3`, env, at))?.headers.authorization).toBe('Bearer sk-local');
    },
  );

  it('takes the quirks of the configuration over those that are known', async () => {
    const request = await asked('mine/m', {}, (baseUrl) => ({
      mine: { baseUrl, quirks: { streamUsage: false } },
    }));
    expect(JSON.parse(request?.body ?? '')).not.toHaveProperty('stream_options');
  });
});

describe('how a model thinks', () => {
  const thinking = { budgetTokens: 2_048 };
  const bodyOf = async (api: 'chat' | 'responses' | 'messages') => {
    const models = { m: { thinking, reasoningEffort: 'low' }, plain: {} };
    const at = (baseUrl: string) => ({ mine: { baseUrl, api, models } });
    const [request, plain] = await Promise.all([asked('mine/m', {}, at), asked('mine/plain', {}, at)]);
    for (const field of ['thinking', 'reasoning', 'reasoning_effort', 'output_config'])
      expect(JSON.parse(plain?.body ?? '')).not.toHaveProperty(field);
    return JSON.parse(request?.body ?? '') as Record<string, unknown>;
  };

  it('is said to chat completions', async () => {
    const body = await bodyOf('chat');
    expect(body.reasoning_effort).toBe('low');
    expect(body).not.toHaveProperty('thinking');
  });

  it('is said to Responses', async () => {
    expect((await bodyOf('responses')).reasoning).toEqual({ effort: 'low' });
  });

  it('is said to messages, in tokens and in words', async () => {
    expect(await bodyOf('messages')).toMatchObject({
      thinking: { type: 'enabled', budget_tokens: 2_048 },
      output_config: { effort: 'low' },
    });
  });

  it('is checked with the configuration', () => {
    const check = (model: object, quirks: object = {}) =>
      checkConfig({ models: { mine: { baseUrl: 'http://x/v1', quirks, models: { m: model } } } }, 'test');
    check({ thinking: 'adaptive', reasoningEffort: 'xhigh' }, { turns: 'alternating', parallelCalls: false });
    const said = (work: () => unknown) => {
      try {
        work();
      } catch (error) {
        return DetentError.is(error) ? error.message : '';
      }
      return '';
    };
    expect(said(() => check({ thinking: { budgetTokens: 100 } }))).toMatch(/thinking.*1024/);
    expect(said(() => check({}, { callIds: 'long' }))).toContain('quirks.callIds');
    expect(said(() => check({}, { sorts: true }))).toContain('quirks.sorts');
  });
});
