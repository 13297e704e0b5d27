// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the marks of configurations look like templates
import { mkdir } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import { answering, by, newWorkspace } from '../../support/cli.ts';

/** The system prompt that a run in this workspace is given, or how it failed. */
async function systemOf(files: Record<string, string>, env: Record<string, string> = {}) {
  const workspace = await newWorkspace(files);
  const provider = await answering({ text: 'ok' });
  const { code, stderr } = await workspace.detent(['run', 'hi', '--quiet', ...by(provider)], { env });
  return code === 0 ? provider.requests[0]?.body.messages[0]?.content : { code, stderr };
}

describe.concurrent('a configuration may be written as', () => {
  it.each([
    ['detent.config.yaml', 'system: From YAML. # and why\n'],
    ['detent.config.yml', '---\nsystem: >-\n  From\n  YAML.\n'],
    ['detent.config.mjs', 'export default { system: "From YAML." };'],
    ['detent.config.json', '\ufeff{ "system": "From YAML." }'],
  ])('%s', async (name, text) => {
    expect(await systemOf({ [name]: text })).toBe('From YAML.');
  });

  it('a YAML file of nothing but comments', async () => {
    expect(await systemOf({ 'detent.config.yaml': '# nothing yet\n' })).toContain('helpful');
  });
});

describe.concurrent('variables in JSON and YAML', () => {
  it.each([
    ['detent.config.json', '{"system": "You serve ${HOUSE} for ${GUEST:-anybody}. $${HOUSE}"}'],
    ['detent.config.yaml', "system: 'You serve ${HOUSE} for ${GUEST:-anybody}. $${HOUSE}'\n"],
  ])('are filled in: %s', async (name, text) => {
    expect(await systemOf({ [name]: text }, { HOUSE: 'the inn' })).toBe(
      'You serve the inn for anybody. ${HOUSE}',
    );
  });

  it('that are missing end with 3 and are named with their fields', async () => {
    const text = 'system: ${NOBODY}\nmodels: { house: { baseUrl: "http://${NOHOST}/v1" } }\n';
    const failed = (await systemOf({ 'detent.config.yaml': text })) as { code: number; stderr: string };
    expect(failed.code).toBe(3);
    expect(failed.stderr).toMatch(
      /system: the variable NOBODY .*models\.house\.baseUrl: the variable NOHOST /,
    );
  });

  it('mean nothing in TypeScript, which has process.env', async () => {
    expect(
      await systemOf({ 'detent.config.ts': "export default { system: '${HOUSE}' };" }, { HOUSE: 'x' }),
    ).toBe('${HOUSE}');
  });
});

describe.concurrent('a file that cannot be read ends with 3 and tells line and column', () => {
  it.each([
    ['detent.config.json', '{\n  "model": "demo/demo",\n}', ':3:1 is not JSON'],
    [
      'detent.config.json',
      '{"system": "a", "system": "b"}',
      ':1:17 is not JSON: the key "system" occurs twice',
    ],
    ['detent.config.yaml', 'system: a\nlimits:\n  maxSteps: 1\n  maxSteps: 2\n', ':4:3 is not YAML'],
    ['detent.config.yaml', 'tools: { allowed: [a\n', ':2:1 is not YAML'],
  ])('%s', async (name, text, message) => {
    const failed = (await systemOf({ [name]: text })) as { code: number; stderr: string };
    expect(failed.code).toBe(3);
    expect(failed.stderr).toContain(`${name}${message}`);
    expect(failed.stderr.trim().split('\n')).toHaveLength(1);
  });
});

describe.concurrent('a file that is none', () => {
  it('ends with 3 and says so', async () => {
    const workspace = await newWorkspace();
    await mkdir(workspace.path('detent.config.yaml'));
    const ended = await workspace.detent(['run', 'hi']);
    expect(ended.code).toBe(3);
    expect(ended.stderr).toContain('detent.config.yaml cannot be read');
  });
});

describe.concurrent('variables of the environment', () => {
  const files = {
    'detent.config.json':
      '{"system": "From the file.", "agents": {"own": {"systemPrompt": "From the agent."}}}',
  };

  it('go before the file', async () => {
    expect(await systemOf(files, { DETENT_SYSTEM: 'From the variable.' })).toBe('From the variable.');
  });

  it('go before agents, and flags go before them', async () => {
    const workspace = await newWorkspace(files);
    const provider = await answering({ text: '1' }, { text: '2' }, { text: '3' });
    const env = { DETENT_SYSTEM: 'From the variable.' };
    await workspace.detent(['run', 'hi', '--agent', 'own', ...by(provider)]);
    await workspace.detent(['run', 'hi', '--agent', 'own', ...by(provider)], { env });
    await workspace.detent(['run', 'hi', '--system', 'From the flag.', ...by(provider)], { env });
    expect(provider.requests.map(({ body }) => body.messages[0]?.content)).toEqual([
      'From the agent.',
      'From the variable.',
      'From the flag.',
    ]);
  });

  it('choose tools and limits', async () => {
    const workspace = await newWorkspace();
    const provider = await answering({ calls: [{ name: 'datetime' }] }, { text: 'ok' });
    const env = { DETENT_TOOLS_ALLOWED: '@math, datetime', DETENT_LIMITS_MAX_STEPS: '1' };
    const { code, view } = await workspace.json(['run', 'hi', ...by(provider)], { env });
    expect({ code, outcome: view.outcome }).toEqual({ code: 1, outcome: 'max_steps' });
    expect(provider.requests[0]?.body.tools?.map((tool) => tool.function.name)).toEqual([
      'calculator',
      'datetime',
      'unit_convert',
    ]);
  });

  it.each([
    ['DETENT_LIMITS_MAX_STEPS', 'many'],
    ['DETENT_DATABASE_SYNCHRONOUS', 'OFF'],
    ['DETENT_TOOLS_ALLOWED', '@nope'],
  ])('with a bad value are named, with 3: %s=%s', async (name, value) => {
    const workspace = await newWorkspace();
    const ended = await workspace.detent(['run', 'hi'], { env: { [name]: value } });
    expect(ended.code).toBe(3);
    expect(ended.stderr).toContain(name);
  });

  it('that are most likely misspelt are reported once, and are no error', async () => {
    const workspace = await newWorkspace();
    const provider = await answering({ text: 'ok' });
    const env = { DETENT_LIMIT_MAX_STEPS: '1', DETENT_HOME: '/nowhere', DETENT_TEST_X: '1' };
    const ended = await workspace.detent(['run', 'hi', '--quiet', ...by(provider)], { env });
    expect(ended.code).toBe(0);
    expect(ended.stderr).toBe(
      'detent: the variable DETENT_LIMIT_MAX_STEPS has no effect; did you mean DETENT_LIMITS_MAX_STEPS?\n',
    );
  });
});
