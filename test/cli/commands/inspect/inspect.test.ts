import { chmodSync, existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { mkdir, rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { hasScreen } from '../../../../src/cli/commands/inspect/open-browser.ts';
import {
  answering,
  by,
  type CliOptions,
  hasTerminals,
  newWorkspace,
  type Workspace,
} from '../../../support/cli.ts';
import { itDeep } from '../../../support/deep.ts';
import { describeWith } from '../../../support/needs.ts';
import { here, startServing } from '../serve/support.ts';

interface Inspected {
  runId: string | null;
  url: string;
  loginUrl: string;
  pid?: number;
}

const demo = { 'detent.config.json': JSON.stringify({ model: 'demo/demo' }) };

/** A workspace with one run, and settings of its own. */
async function withRun(): Promise<{ workspace: Workspace; runId: string; home: string }> {
  const workspace = await newWorkspace(demo);
  const home = `${workspace.folder}-home`;
  onTestFinished(() => rm(home, { recursive: true, force: true }));
  await workspace.detent(['run', '--quiet', 'What is 17 * 23?']);
  return { workspace, runId: (await workspace.lookAtOne()).runId, home };
}

async function logIn({ url, loginUrl }: Inspected): Promise<number> {
  const code = new URL(loginUrl).hash.replace('#login=', '');
  const response = await fetch(`${url}/api/v1/login`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ code }),
  });
  return response.status;
}

/** Starts `detent inspect --json`, which serves the page itself, and waits until it does. */
async function inspecting(
  workspace: Workspace,
  args: readonly string[],
  env: Record<string, string>,
  options: CliOptions = here,
) {
  const live = workspace.start(['inspect', ...args, '--json'], { env, ...options });
  onTestFinished(async () => {
    live.kill('SIGKILL');
    await live.ended;
  });
  return { live, shown: JSON.parse(await live.saw('stdout', /\n/)) as Inspected };
}

describe('detent inspect', () => {
  it('makes a login link of the gateway that serves the workspace', async () => {
    const { workspace, runId, home } = await withRun();
    const env = { DETENT_HOME: home };
    const served = await startServing(workspace, [], { env, ...here });
    const ended = await workspace.detent(['inspect', runId.slice(0, 9)], { env });
    expect(ended).toMatchObject({ code: 0, stderr: '' });
    const [, url = ''] = /^(http:\S+)\/runs\/run_\w+#login=[\w-]{43}\n$/.exec(ended.stdout) ?? [];
    expect(url).toBe(served.url);
    const { view } = await workspace.json<Inspected>(['inspect', runId], { env });
    expect(view).toEqual({ runId, url, loginUrl: expect.stringContaining(`${url}/runs/${runId}#login=`) });
    expect([await logIn(view), await logIn(view)]).toEqual([200, 401]);
    const all = await workspace.json<Inspected>(['inspect'], { env });
    expect(all.view).toMatchObject({ runId: null, loginUrl: expect.stringContaining(`${url}/runs#login=`) });
  });

  it('serves the page itself when nothing else does, until it is stopped', async () => {
    const { workspace, runId, home } = await withRun();
    const { live, shown } = await inspecting(workspace, [runId], { DETENT_HOME: home }, {});
    expect(shown).toMatchObject({ runId, pid: live.pid });
    await live.saw('stderr', /Ctrl-C stops it/);
    expect(await logIn(shown)).toBe(200);
    live.kill('SIGINT');
    expect(await live.ended).toMatchObject({ code: 0, signal: null });
    expect(readdirSync(join(home, 'gateways'))).toEqual([]);
  });

  it('does so, too, when the gateway was killed, whoever has its port now', async () => {
    const { workspace, runId, home } = await withRun();
    const env = { DETENT_HOME: home };
    const served = await startServing(workspace, [], { env });
    served.kill('SIGKILL');
    await served.ended;
    const [record = ''] = readdirSync(join(home, 'gateways'));
    expect(statSync(join(home, 'gateways', record)).mode & 0o777).toBe(0o600);
    const asked: unknown[] = [];
    const other = createServer((request, response) => {
      asked.push(request.headers.authorization);
      response.end(JSON.stringify({ code: '../../evil' }));
    });
    onTestFinished(() => void other.close());
    await new Promise<void>(
      (resolve) => void other.listen(Number(new URL(served.url).port), '127.0.0.1', resolve),
    );
    const { shown, live } = await inspecting(workspace, [runId], env);
    expect(shown).toMatchObject({ pid: live.pid });
    expect(shown.url).not.toBe(served.url);
    expect(asked).toHaveLength(1);
  });

  const forms = [
    'no JSON',
    '[]',
    '{"url":"https://evil.example","key":"KEY"}',
    '{"url":"http://127.0.0.1.evil.example:80","key":"KEY"}',
    '{"url":"http://127.0.0.1:80/path#","key":"KEY"}',
    '{"url":"http://127.0.0.1:80","key":"short"}',
  ];

  it(`goes by no record of these forms: ${forms.join(' ')}`, async () => {
    const { workspace, runId, home } = await withRun();
    const env = { DETENT_HOME: home };
    const served = await startServing(workspace, [], { env, ...here });
    const [record = ''] = readdirSync(join(home, 'gateways'));
    const seen = new Set([served.url]);
    for (const text of forms) {
      writeFileSync(join(home, 'gateways', record), text.replace('KEY', 'k'.repeat(43)));
      const { shown } = await inspecting(workspace, [runId], env);
      expect(seen, text).not.toContain(shown.url);
      seen.add(shown.url);
    }
    served.kill('SIGTERM');
    expect(await served.ended).toMatchObject({ code: 0 });
    // It was the record of the newer gateway by then.
    expect(existsSync(join(home, 'gateways', record))).toBe(true);
  });

  itDeep('resumes no runs', async () => {
    const { workspace, home } = await withRun();
    const provider = await answering({ text: 'half', ending: 'hang' });
    const live = workspace.start(['run', 'hi', '--session', 's', ...by(provider)]);
    await live.saw('stdout', /half/);
    live.kill('SIGKILL');
    await live.ended;
    const list = () =>
      workspace.withLibrary((detent) => detent.runs.list({ sessionId: 's' }), { readonly: true });
    const [cut] = await list();
    expect(cut?.status).toBe('interrupted');
    const { live: inspector } = await inspecting(workspace, [], { DETENT_HOME: home });
    inspector.kill('SIGINT');
    await inspector.ended;
    expect(await list()).toEqual([cut]);
  });

  it('names a gateway that is reached by another address', async () => {
    const { workspace, runId } = await withRun();
    const { stdout, code } = await workspace.detent(['inspect', runId, '--url', 'https://agent.example/a/']);
    expect(code).toBe(0);
    expect(stdout).toMatch(
      new RegExp(`^https://agent\\.example/a/runs/${runId}#login=log_\\w+\\.[\\w-]{43}\\n$`),
    );
    expect(await workspace.detent(['inspect', 'run_none'])).toMatchObject({ code: 4, stdout: '' });
  });
});

describe('detent inspect, and a browser', () => {
  /** A folder with an `xdg-open` that notes what it opens. */
  async function withBrowser() {
    const made = await withRun();
    const bin = join(made.home, 'bin');
    const opened = join(made.home, 'opened');
    await mkdir(bin, { recursive: true });
    for (const name of ['xdg-open', 'open']) {
      writeFileSync(
        join(bin, name),
        `#!/bin/sh\nprintf '%s\\n' "$@" > '${opened}.part'\nmv '${opened}.part' '${opened}'\n`,
      );
      chmodSync(join(bin, name), 0o755);
    }
    const env = { DETENT_HOME: made.home, PATH: `${bin}:${process.env.PATH}`, DISPLAY: ':9' };
    return { ...made, env, opened };
  }

  const read = (file: string) => expect.poll(() => existsSync(file) && readFileSync(file, 'utf8'));
  const link = ['--url', 'https://agent.example'];

  it('has one open the link with --open', async () => {
    const { workspace, runId, env, opened } = await withBrowser();
    const { stdout } = await workspace.detent(['inspect', runId, ...link, '--open'], {
      env,
      ownProcess: true,
    });
    await read(opened).toBe(stdout);
  });

  it('has none open it where no person is', async () => {
    const { workspace, runId, env, opened } = await withBrowser();
    await workspace.detent(['inspect', runId, ...link], { env, ownProcess: true });
    // The next one is opened, so the first would have been.
    const { stdout } = await workspace.detent(['inspect', runId, ...link, '--open'], {
      env,
      ownProcess: true,
    });
    await read(opened).toBe(stdout);
  });

  it('works without one', async () => {
    const { workspace, runId, home } = await withRun();
    const env = { DETENT_HOME: home, PATH: home };
    const ended = await workspace.detent(['inspect', runId, ...link, '--open'], { env });
    expect(ended).toMatchObject({ code: 0, stderr: '' });
  });

  it.each([
    ['linux', {}, false],
    ['linux', { DISPLAY: ':0' }, true],
    ['linux', { WAYLAND_DISPLAY: 'wayland-0' }, true],
    ['darwin', {}, true],
    ['win32', {}, true],
  ] as const)('knows whether one has a screen: %s, %j', (platform, env, has) => {
    expect(hasScreen({ env }, platform)).toBe(has);
  });

  describeWith(hasTerminals, 'the program /usr/bin/script is missing')('on a terminal', () => {
    it('has one open it, unless the person only wants the link', async () => {
      const { workspace, runId, env, opened } = await withBrowser();
      const printed = workspace.onTerminal(['inspect', runId, ...link, '--print'], { env });
      expect((await printed.ended).code).toBe(0);
      expect(existsSync(opened)).toBe(false);
      const shown = workspace.onTerminal(['inspect', runId, ...link], { env });
      expect((await shown.ended).code).toBe(0);
      await read(opened).toMatch(/^https:\/\/agent\.example\/runs\/run_\w+#login=/);
    });
  });
});
