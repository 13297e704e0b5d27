import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { buildPage } from '../../scripts/build/page.ts';
import { by, mockProvider, newWorkspace } from '../support/cli.ts';

const root = resolve(import.meta.dirname, '../..');

/** Starts a line of a shell in the clone; it ends with the test, and so do the processes that it has started. */
function shell(line: string, args: readonly string[]): ChildProcess {
  const child = spawn('sh', ['-c', line, 'sh', ...args], {
    cwd: root,
    env: { ...process.env, DETENT_TRUST: '1' },
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true,
  });
  onTestFinished(async () => {
    if (child.exitCode !== null || child.signalCode !== null) return;
    const ended = once(child, 'exit');
    process.kill(-(child.pid ?? 0), 'SIGKILL');
    await ended;
  });
  return child;
}

/** Resolves with what a stream said, once it fits; rejects when it ends before. */
async function said(stream: ChildProcess['stdout'], pattern: RegExp): Promise<string> {
  let text = '';
  for await (const piece of stream ?? []) {
    text += piece;
    if (pattern.test(text)) return text;
  }
  throw new Error(`ended after ${JSON.stringify(text)}`);
}

describe('npm start', () => {
  it('serves the web page, prints a login link, and says how to chat on the terminal instead', async () => {
    const { folder } = await newWorkspace();
    const child = shell('exec npm start -s -- --port 0 --workspace "$1"', [folder]);
    const [stdout, stderr] = await Promise.all([
      said(child.stdout, /#login=[\w-]{43}\n/),
      said(child.stderr, /Ctrl-C/),
    ]);
    expect(stderr).toContain('chat on the terminal beside it with: npm run -s detent -- chat\n');
    const [, url = ''] = /(http:\S+)\/#login=/.exec(stdout) ?? [];
    const page = await fetch(url, { headers: { accept: 'text/html' } });
    expect(await page.text()).toContain('<meta name="detent-prefix" content="" />');
  });

  it('is a conversation on the terminal for what comes out of a pipe', async () => {
    const provider = await mockProvider({ turns: [{ answers: [{ text: 'hello there' }] }] });
    const { folder } = await newWorkspace();
    const child = shell('echo hi | npm start -s -- "$@"', ['--workspace', folder, ...by(provider)]);
    expect(await said(child.stdout, /\n/)).toBe('hello there\n');
  });
});

describe('the page that it builds', () => {
  it('is built once, and again when a source has changed', async () => {
    await buildPage();
    let builds = 0;
    const build = () => buildPage(() => builds++);
    await build();
    expect(builds).toBe(0);
    const added = resolve(root, 'web/src/added.log');
    // Of a kind that git ignores.
    writeFileSync(added, 'a test was here\n');
    onTestFinished(() => rmSync(added, { force: true }));
    await build();
    expect(builds).toBe(1);
    rmSync(added);
    await build();
    expect(builds).toBe(2);
    expect(existsSync(resolve(root, 'web/dist/assets'))).toBe(true);
    expect(readFileSync(resolve(root, 'web/dist/index.html'), 'utf8')).toContain('src="./assets/');
  });
});
