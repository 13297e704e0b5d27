import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { answering, bareWorkspace, by, newWorkspace, type Workspace } from '../../../support/cli.ts';

const key = 'sk-live-0123456789abcdef';

describe.concurrent('--model', () => {
  it('makes no database for a model that does not exist', async () => {
    const workspace = await bareWorkspace();
    await workspace.detent(['run', 'hi', '--model', 'nosuch/model']);
    expect(readdirSync(workspace.folder)).toEqual([]);
  });

  it('without any key is the demo, which says what it is', async () => {
    const workspace = await newWorkspace();
    const { code, view } = await workspace.json(['run', 'What is 17 * 23?']);
    expect(code).toBe(0);
    expect(view.text).toContain('391');
    expect(view.steps.map((step) => step.text).join(' ')).toMatch(/demo/i);
  });

  it('beats DETENT_MODEL, which beats the configuration', async () => {
    const provider = await answering({ text: '1' }, { text: '2' }, { text: '3' });
    const models = { mock: { baseUrl: provider.baseUrl } };
    const workspace = await newWorkspace({
      'detent.config.json': JSON.stringify({ model: 'mock/configured', models }),
    });
    const env = { DETENT_MODEL: 'mock/from-env' };
    await workspace.detent(['run', 'hi', '--model', 'mock/flag'], { env });
    await workspace.detent(['run', 'hi'], { env });
    await workspace.detent(['run', 'hi']);
    const asked = provider.requests.map((request) => request.body.model);
    expect(asked).toEqual(['flag', 'from-env', 'configured']);
  });

  it('from DETENT_MODEL that is no model name is a usage error, too', async () => {
    const workspace = await newWorkspace();
    const ended = await workspace.detent(['run', 'hi'], { env: { DETENT_MODEL: 'gpt-5' } });
    expect(ended.code).toBe(2);
    expect(ended.stderr).toContain('"gpt-5"');
  });

  it('counts an empty DETENT_MODEL as none', async () => {
    const workspace = await newWorkspace();
    const ended = await workspace.detent(['run', 'What is 2 + 2?'], { env: { DETENT_MODEL: '' } });
    expect(ended.code).toBe(0);
  });
});

describe.concurrent('keys', () => {
  it('come from the variable of their own provider, and go to no other’s server', async () => {
    const workspace = await newWorkspace();
    const provider = await answering({ text: 'ok' }, { text: 'ok' });
    const env = { DEEPSEEK_API_KEY: key, OPENAI_API_KEY: 'sk-of-somebody-else' };
    await workspace.detent(['run', 'hi', ...by(provider, 'deepseek/deepseek-chat')], { env });
    await workspace.detent(['run', 'hi', ...by(provider)], { env });
    expect(provider.requests.map(({ headers }) => headers.authorization)).toEqual([
      `Bearer ${key}`,
      undefined,
    ]);
  });

  it('are sent as the configuration says', async () => {
    const provider = await answering({ text: 'ok' });
    const mock = { baseUrl: provider.baseUrl, apiKeyEnv: 'HOUSE_KEY', headers: { 'x-team': 'blue' } };
    const workspace = await newWorkspace({ 'detent.config.json': JSON.stringify({ models: { mock } }) });
    await workspace.detent(['run', 'hi', '--model', 'mock/m'], { env: { HOUSE_KEY: key } });
    expect(provider.requests[0]?.headers).toMatchObject({ authorization: `Bearer ${key}`, 'x-team': 'blue' });
  });

  it('that are missing are reported with the name of their variable, with 3', async () => {
    const workspace = await newWorkspace();
    const ended = await workspace.detent(['run', 'hi', '--model', 'openai/gpt-5-mini']);
    expect(ended).toMatchObject({ code: 3, stdout: '' });
    expect(ended.stderr).toContain('OPENAI_API_KEY');
    const named = await workspace.detent([
      'run',
      'hi',
      ...['--model', 'm/x', '--base-url', 'http://127.0.0.1:9/v1', '--api-key-env', 'NOT_SET'],
    ]);
    expect(named.code).toBe(3);
    expect(named.stderr).toContain('NOT_SET');
  });

  it('of the first provider that has one choose the model', async () => {
    const provider = await answering({ text: 'ok' });
    const models = { openai: { baseUrl: provider.baseUrl } };
    const workspace = await newWorkspace({ 'detent.config.json': JSON.stringify({ models }) });
    await workspace.detent(['run', 'hi'], { env: { OPENAI_API_KEY: key } });
    expect(provider.requests[0]?.body.model).toMatch(/^gpt-/);
  });
});

/** All that a workspace holds on disk, as bytes. */
function bytesIn(workspace: Workspace): string {
  const folder = workspace.path('.detent');
  return readdirSync(folder)
    .filter((name) => statSync(join(folder, name)).isFile())
    .map((name) => readFileSync(join(folder, name), 'latin1'))
    .join('\n');
}

describe.concurrent('a key never shows', () => {
  const env = { MY_OWN: key };

  it('when the prompt holds it and the model repeats it, cut into pieces', async () => {
    const workspace = await newWorkspace();
    const provider = await answering({ text: ['your key is ', key.slice(0, 9), key.slice(9), '.'] });
    const args = ['run', `my key is ${key}`, '--api-key-env', 'MY_OWN', ...by(provider)];
    const { code, stdout, stderr } = await workspace.detent(args, { env });
    expect(code).toBe(0);
    expect(stdout).toBe('your key is [redacted:MY_OWN].\n');
    expect(stdout + stderr + bytesIn(workspace)).not.toContain(key);
    expect(JSON.stringify(provider.requests[0]?.body)).not.toContain(key);
  });

  it('when the server repeats it in an error', async () => {
    const workspace = await newWorkspace();
    const error = { message: `Incorrect API key provided: ${key}`, type: 'invalid_request_error' };
    const provider = await answering({ status: 401, body: { error } });
    const args = ['run', 'tell', '--api-key-env', 'MY_OWN', '--jsonl', ...by(provider)];
    const { code, stdout, stderr } = await workspace.detent(args, { env });
    expect(code).toBe(1);
    expect(stderr).toContain('provider_error');
    expect(stdout + stderr + bytesIn(workspace)).not.toContain(key);
  });

  it('of a variable whose name says that it is one, asked for or not', async () => {
    const workspace = await newWorkspace();
    const provider = await answering({ text: `I know ${key}` });
    const { stdout } = await workspace.detent(['run', `it is ${key}`, ...by(provider)], {
      env: { GITHUB_TOKEN: key },
    });
    expect(stdout).toBe('I know [redacted:GITHUB_TOKEN]\n');
    expect(bytesIn(workspace)).not.toContain(key);
  });
});
