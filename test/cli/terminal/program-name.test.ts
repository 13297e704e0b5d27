import { describe, expect, it } from 'vitest';
import { createProgram } from '../../../src/cli/program.ts';
import { asTyped, programName } from '../../../src/cli/terminal/program-name.ts';
import { styled } from '../../../src/cli/terminal/styled.ts';
import { nodeProblem } from '../../../src/text/needs-node.ts';
import { newWorkspace } from '../../support/cli.ts';

const started = { npm_lifecycle_event: 'start', npm_package_name: 'detent' };

describe('the name of the program in hints', () => {
  it.each([
    ['detent', {}, '/usr/local/bin/detent'],
    ['detent', {}, '/clone/src/cli/main.ts'],
    ['npm run -s detent --', started, '/clone/src/cli/main.ts'],
    ['npm run -s detent --', { ...started, npm_lifecycle_event: 'detent' }, '/clone/src/cli/main.ts'],
    ['detent', { ...started, npm_lifecycle_event: 'test' }, '/clone/src/cli/main.ts'],
    ['detent', { ...started, npm_package_name: 'other' }, '/usr/local/bin/detent'],
    ['npx detent', { npm_lifecycle_event: 'npx', npm_lifecycle_script: 'detent' }, '/cache/detent'],
    ['detent', { npm_lifecycle_event: 'npx', npm_lifecycle_script: 'vitest' }, '/usr/local/bin/detent'],
    ['npx detent', { PATH: '/usr/bin' }, '/app/node_modules/.bin/detent'],
    ['detent', { PATH: '/usr/bin:/app/node_modules/.bin' }, '/app/node_modules/.bin/detent'],
    [
      'npx detent',
      { npm_lifecycle_event: 'agent', PATH: '/app/node_modules/.bin' },
      '/app/node_modules/.bin/detent',
    ],
  ])('is %s with %j and %s', (name, env, script) => expect(programName(env, script)).toBe(name));

  it('stands in every command of a text, and in nothing else', () => {
    const text =
      'detent: resume it with: detent runs resume run_x; "detent --help", /tmp/detent run, Detent run, detent is';
    expect(asTyped(text, 'npx detent')).toBe(
      'detent: resume it with: npx detent runs resume run_x; "npx detent --help", /tmp/detent run, Detent run, detent is',
    );
    expect(asTyped(['a', styled('dim', 'detent doctor')], 'npx detent')).toEqual([
      'a',
      styled('dim', 'npx detent doctor'),
    ]);
    expect(asTyped(text, 'detent')).toBe(text);
  });

  it('stands in the commands of every first word that there is', async () => {
    const { commands } = await createProgram();
    for (const name of commands.map((command) => command.name()))
      expect(asTyped(`detent ${name} x`, 'npx detent')).toBe(`npx detent ${name} x`);
  });

  it('has the gateway behind the words of each command that a gateway performs', () => {
    const text = 'detent cron show x, detent runs list, detent cron serve, detent cron next, detent serve';
    expect(asTyped(text, 'detent', { of: 'server', typed: '--server URL' })).toBe(
      'detent cron show --server URL x, detent runs list --server URL, detent cron serve, detent cron next, detent serve',
    );
  });

  it('is what a person who has started a clone by npm can type', async () => {
    const workspace = await newWorkspace();
    const { stderr } = await workspace.detent(['run', 'write "a" to a.txt'], { env: started });
    expect(stderr).toContain('npm run -s detent -- runs confirm run_');
    const why = await workspace.detent(['runs', 'why', 'last'], { env: started });
    expect(why.stdout).toContain('npm run -s detent -- runs resume run_');
    const missing = await workspace.detent(['runs', 'show', 'run_none'], { env: started });
    expect(missing.stderr).toContain('see "npm run -s detent -- runs list"');
  });
});

describe('an older Node', () => {
  it('is named, with the one that is needed', () => {
    expect(nodeProblem('20.20.2')).toMatch(/needs Node 24 or newer, and this is Node 20\.20\.2/);
    expect(nodeProblem('4.0.0')).not.toBeNull();
    for (const version of ['24.0.0', '25.1.0', '100.0.0']) expect(nodeProblem(version)).toBeNull();
  });
});

describe('the line about a call', () => {
  it('names its tool when the answer is not streamed, too', async () => {
    const workspace = await newWorkspace();
    const { stderr } = await workspace.detent(['run', '--no-stream', 'What is 17 * 23?']);
    expect(stderr).toContain('· using calculator');
    expect(stderr).not.toContain('call c');
  });
});
