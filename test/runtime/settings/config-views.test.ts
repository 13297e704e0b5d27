import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { loadOptions } from '../../../src/cli/settings/load-options.ts';
import { withModel } from '../../../src/cli/settings/with-model.ts';
import { createIo } from '../../../src/cli/terminal/io.ts';
import { createDetent, type DetentOptions } from '../../../src/index.ts';
import { scriptedModel } from '../../../src/testing/index.ts';
import { temporaryWorkspace, tool } from '../../support/detent.ts';
import { hostHere } from '../../support/run-here.ts';

const key = 'sk-very-secret-1';
const env = { HOUSE_KEY_OF_MINE: key, SHOP_TOKEN: 'q7' };

async function views(options: DetentOptions) {
  const detent = createDetent(options);
  const view = { config: await detent.config.get(), origins: await detent.config.origins() };
  await detent.close();
  return view;
}

describe('the configuration of a Detent', () => {
  it('has every field by its path, what the program set and the defaults', async () => {
    const workspace = await temporaryWorkspace();
    const { config, origins } = await views({ workspace, env: {}, limits: { maxSteps: 7 } });
    expect(config.workspace).toBe(workspace);
    expect(config.values).toMatchObject({
      'limits.maxSteps': 7,
      'policy.approve': 'ask',
      model: 'demo/demo',
    });
    expect(origins.file).toBeNull();
    expect(origins.values['limits.maxSteps']).toEqual({ source: 'program', from: null });
    expect(origins.values['policy.approve']).toEqual({ source: 'default', from: null });
    expect(Object.keys(origins.values)).toEqual(Object.keys(config.values));
  });

  it('shows no secret: known values, headers, variables of servers, keys in addresses, what is called one', async () => {
    const { config } = await views({
      env: { ...env, HOUSE_KEY: key },
      system: `the key is ${key}`,
      secrets: ['HOUSE_KEY_OF_MINE'],
      models: {
        house: {
          baseUrl: 'https://me:pw-1@house.example/v1?api_key=pw-2',
          apiKeyEnv: 'HOUSE_KEY',
          headers: { 'x-team': 'pw-3' },
        },
      },
      mcp: {
        servers: {
          wiki: { command: 'wiki', args: ['--token', 'pw-4', '--api-key=pw-5'], env: { ANY: 'pw-6' } },
        },
      },
    });
    const text = JSON.stringify(config);
    expect(text).not.toContain(key);
    expect(text).not.toMatch(/pw-\d/);
    expect(config.values).toMatchObject({
      'models.house.apiKeyEnv': 'HOUSE_KEY',
      'models.house.headers.x-team': '***',
      'mcp.servers.wiki.env.ANY': '***',
    });
  });

  it('names models and tools of the program, and nothing besides the configuration', async () => {
    const { config } = await views({
      store: 'in-process',
      env,
      onError: () => {},
      model: 'mine/x',
      models: { mine: scriptedModel([]) },
      tools: { define: [tool('pay')] },
    });
    expect(config.values).toMatchObject({
      model: 'mine/x',
      'models.mine': '(a model of the program)',
      'tools.define': ['pay'],
    });
    expect(JSON.parse(JSON.stringify(config))).toEqual(config);
    const roots = new Set(Object.keys(config.values).map((path) => path.split('.')[0]));
    for (const other of ['env', 'store', 'workspace', 'onError', 'origins'])
      expect(roots).not.toContain(other);
  });

  it('of the command line comes from the file, from variables, from flags, and by default', async () => {
    const workspace = await temporaryWorkspace();
    const yaml = `limits: { maxSteps: 7, maxTokens: 900 }\nsystem: "short \${SHOP_TOKEN}"\n`;
    await writeFile(join(workspace, 'detent.config.yaml'), yaml);
    const own = { DETENT_TRUST: '1', DETENT_HOME: workspace };
    const given = { DETENT_LIMITS_MAX_TOKENS: '800', DETENT_MODEL: 'demo/demo' };
    const io = createIo(hostHere({ cwd: workspace, env: { ...env, ...own, ...given } }));
    const options = await loadOptions({ db: 'other.db', trust: true }, io);
    const { config, origins } = await views(options);
    const address = {
      model: 'house/x',
      'base-url': 'http://me:pw-1@127.0.0.1:9/v1',
      'api-key-env': 'HOUSE_KEY',
    };
    const served = await views(withModel(options, address, io));
    expect(served.config.values).toMatchObject({
      model: 'house/x',
      'models.house.baseUrl': 'http://***@127.0.0.1:9/v1',
    });
    expect(served.origins.values).toMatchObject({
      model: { source: 'flag', from: '--model' },
      'models.house.baseUrl': { source: 'flag', from: '--base-url' },
      'models.house.apiKeyEnv': { source: 'flag', from: '--api-key-env' },
    });
    expect((await views(withModel(options, {}, io))).origins.values.model).toEqual({
      source: 'variable',
      from: 'DETENT_MODEL',
    });
    expect(origins.file).toBe(join(workspace, 'detent.config.yaml'));
    expect(origins.values).toMatchObject({
      'limits.maxSteps': { source: 'file', from: 'detent.config.yaml:limits.maxSteps' },
      'limits.maxTokens': { source: 'variable', from: 'DETENT_LIMITS_MAX_TOKENS' },
      'database.file': { source: 'flag', from: '--db' },
      'limits.timeoutMs': { source: 'default', from: null },
      // It belongs to the requests of commands, and this Detent knows nothing of it.
      model: { source: 'default', from: null },
    });
    expect(config.values).toMatchObject({
      'limits.maxTokens': 800,
      'database.file': join(workspace, 'other.db'),
      // Too short to be looked for, and yet not shown.
      system: 'short [redacted:SHOP_TOKEN]',
    });
  });
});
