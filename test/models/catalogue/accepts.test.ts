import { describe, expect, it } from 'vitest';
import { acceptedBy } from '../../../src/models/catalogue/accepts.ts';
import { presets } from '../../../src/models/catalogue/presets.ts';
import { createModelDirectory } from '../../../src/models/directory.ts';
import { scriptedModel } from '../../../src/testing/index.ts';

const all = ['image', 'pdf'];

describe('what a model takes', () => {
  it.each([
    ['openai', 'gpt-5-mini', all],
    ['openai', 'gpt-4o-2024-11-20', all],
    ['openai', 'o4-mini', all],
    ['openai', 'gpt-4-turbo', ['image']],
    ['openai', 'gpt-4-0613', []],
    ['openai', 'gpt-4', []],
    ['openai', 'gpt-3.5-turbo', []],
    ['openai', 'o3-mini', []],
    ['anthropic', 'claude-sonnet-4-5', all],
    ['anthropic', 'claude-3-haiku-20240307', ['image']],
    ['anthropic', 'claude-2.1', []],
    ['deepseek', 'deepseek-chat', []],
    ['deepseek', 'deepseek-reasoner', []],
    ['deepseek', 'deepseek-v4-pro', []],
    ['deepseek', 'deepseek-v4-flash', ['image']],
    ['deepseek', 'deepseek-v4-flash-vision-exp', ['image']],
    ['moonshot', 'kimi-k2-0905-preview', []],
    ['kimi', 'kimi-k2.6', ['image']],
    ['moonshot', 'moonshot-v1-32k', []],
    ['moonshot', 'moonshot-v1-32k-vision-preview', ['image']],
    ['qwen', 'qwen-plus', []],
    ['dashscope', 'qwen3-coder-plus', []],
    ['dashscope', 'qwen3.5-plus', ['image']],
    ['dashscope', 'qwen3-vl-plus', ['image']],
    ['zhipu', 'glm-5', []],
    ['zai', 'glm-4.6', []],
    ['zai', 'glm-4.6v', ['image']],
    ['zhipu', 'glm-4v-plus', ['image']],
    ['groq', 'openai/gpt-oss-120b', []],
    ['ollama', 'llama3.1:8b', []],
    ['ollama', 'llama3.2-vision', ['image']],
    ['ollama', 'qwen3:8b', []],
    ['ollama', 'qwen2.5vl:7b', ['image']],
    ['ollama', 'llava', ['image']],
    ['openrouter', 'google/gemini-3-pro', all],
    ['openrouter', 'anthropic/claude-opus-4.5', all],
    ['openrouter', 'deepseek/deepseek-r1', []],
  ])('%s/%s', (provider, model, expected) => {
    expect(acceptedBy(provider, model)).toEqual(expected);
  });

  it('of an unknown model is what its wire can carry', () => {
    expect(acceptedBy('any', 'house-model')).toEqual(all);
    expect(acceptedBy('ollama', 'house-model')).toEqual(['image']);
    for (const provider of Object.keys(presets))
      expect(acceptedBy(provider, 'house-model')).toContain('image');
  });

  it('is what the configuration says, for one model or for all others', async () => {
    const models = { 'deepseek-chat': { accepts: all as ['image', 'pdf'] }, '*': { accepts: [] } };
    const directory = createModelDirectory({
      providers: { mine: { baseUrl: 'http://127.0.0.1:1/v1', models } },
      env: {},
    });
    const accepts = async (name: string) => (await directory.resolve(name, null)).accepts;
    expect(await accepts('mine/deepseek-chat')).toEqual(all);
    expect(await accepts('mine/gpt-5')).toEqual([]);
  });

  it('is what a model of your own says of itself', async () => {
    const providers = { blind: { ...scriptedModel([]), accepts: [] }, open: scriptedModel([]) };
    const directory = createModelDirectory({ providers, env: {} });
    expect((await directory.resolve('blind/m', null)).accepts).toEqual([]);
    expect((await directory.resolve('open/m', null)).accepts).toEqual(all);
  });
});
