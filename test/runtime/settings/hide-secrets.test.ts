import { describe, expect, it } from 'vitest';
import { createHider, withoutKeys, withoutSecrets } from '../../../src/runtime/settings/hide-secrets.ts';

const env = {
  HOUSE: 'key-of-the-house-1',
  GITHUB_TOKEN: 'ghp_0123456789',
  SHORT_TOKEN: 'q7',
  PATH: '/usr/bin',
};

describe('what is hidden of a configuration before it is shown', () => {
  const hide = createHider(env, ['HOUSE']);

  it('are known secrets, wherever they stand', () => {
    expect(hide('system', 'use ghp_0123456789, or key-of-the-house-1')).toBe(
      'use [redacted:GITHUB_TOKEN], or [redacted:HOUSE]',
    );
    expect(hide('secrets', ['a', 'key-of-the-house-1'])).toEqual(['a', '[redacted:HOUSE]']);
  });

  it('are the values of headers, whatever they are', () => {
    expect(hide('models.house.headers.x-team', 'blue')).toBe('***');
    expect(hide('models.house', { headers: { 'x-team': 'blue' }, apiKeyEnv: 'HOUSE' })).toEqual({
      headers: { 'x-team': '***' },
      apiKeyEnv: 'HOUSE',
    });
  });

  it('are the variables, the headers and the secret of a server of tools', () => {
    const server = {
      command: 'x',
      env: { KEY: 'k' },
      headers: { a: 'b' },
      auth: { clientId: 'c', clientSecret: 'd' },
    };
    expect(hide('mcp.servers.wiki', server)).toEqual({
      command: 'x',
      env: { KEY: '***' },
      headers: { a: '***' },
      auth: { clientId: 'c', clientSecret: '***' },
    });
  });

  it('are texts that a name calls a secret, and those behind such a flag', () => {
    expect(
      hide('mcp.servers.wiki', { password: 'pw', apiKey: 'k', maxTokens: 5, apiKeyEnv: 'HOUSE' }),
    ).toEqual({
      password: '***',
      apiKey: '***',
      maxTokens: 5,
      apiKeyEnv: 'HOUSE',
    });
    const args = ['--token', 'abc', '--api-key=def', '-v', 'PASSWORD=ghi jkl'];
    expect(hide('mcp.servers.wiki.args', args)).toEqual([
      '--token',
      '***',
      '--api-key=***',
      '-v',
      'PASSWORD=*** jkl',
    ]);
  });

  it('is nothing else', () => {
    for (const value of [5, true, null, 'plain', '/usr/bin', ['a'], { a: 1 }])
      expect(hide('system', value)).toEqual(value);
  });

  it.each([
    ['http://me:pw@example.org/v1', 'http://***@example.org/v1'],
    ['https://token@example.org', 'https://***@example.org'],
    ['https://example.org/v1?api_key=abc&x=1', 'https://example.org/v1?api_key=***&x=1'],
    ['https://example.org/v1?x=1&sig=abc#top', 'https://example.org/v1?x=1&sig=***#top'],
    ['https://example.org/@me?x=1', 'https://example.org/@me?x=1'],
    ['write to me@example.org', 'write to me@example.org'],
  ])('are keys in addresses: %s', (address, shown) => {
    expect(withoutKeys(address)).toBe(shown);
  });

  it('are secret variables, even those too short to be looked for', () => {
    expect(withoutSecrets(env, ['HOUSE'])).toEqual({
      HOUSE: '[redacted:HOUSE]',
      GITHUB_TOKEN: '[redacted:GITHUB_TOKEN]',
      SHORT_TOKEN: '[redacted:SHORT_TOKEN]',
      PATH: '/usr/bin',
    });
  });
});
