import { describe, expect, it, onTestFinished } from 'vitest';
import { hasTerminals, newWorkspace } from '../../../support/cli.ts';
import { describeWith } from '../../../support/needs.ts';

const demo = { 'detent.config.json': JSON.stringify({ model: 'demo/demo' }) };

async function withRun() {
  const workspace = await newWorkspace(demo);
  await workspace.detent(['run', '--quiet', 'What is 17 * 23?']);
  return { workspace, runId: (await workspace.lookAtOne()).runId };
}

describe('detent inspect --stately', () => {
  it('says whose page it is and what that would get, and sends nothing where no person agrees', async () => {
    const { workspace, runId } = await withRun();
    const ended = await workspace.detent(['inspect', runId, '--stately']);
    expect(ended).toMatchObject({ code: 2, stdout: '' });
    expect(ended.stderr).toContain('https://stately.ai/inspect is a page of Stately, not of Detent');
    expect(ended.stderr).toContain('run.start, model.done ×2, tool.done; with their data');
    expect(ended.stderr).toMatch(/agree with --yes/);
  });

  it('prints the messages themselves with --json, and sends nothing', async () => {
    const { workspace, runId } = await withRun();
    const { stdout, code } = await workspace.detent(['inspect', runId, '--stately', '--json']);
    const messages = stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(code).toBe(0);
    expect(messages[0]).toMatchObject({ type: '@xstate.actor', sessionId: runId });
    expect(messages.at(-1)).toMatchObject({ type: '@xstate.snapshot', snapshot: { status: 'done' } });
    expect(stdout).not.toMatch(/What is|\* 23|23 =/);
  });

  it('serves a page around that of Stately once a person agreed, until it is stopped', async () => {
    const { workspace, runId } = await withRun();
    const live = workspace.start(['inspect', runId, '--stately', '--yes']);
    onTestFinished(async () => {
      live.kill('SIGKILL');
      await live.ended;
    });
    const url = (await live.saw('stdout', /\n/)).trim();
    expect(url).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/[\w-]{43}$/);
    await live.saw('stderr', /Ctrl-C stops it/);
    const page = await fetch(url);
    expect(page.headers.get('content-security-policy')).toContain('frame-src https://stately.ai;');
    const told = (await (await fetch(`${url}/messages`)).text()).split('\n\n').filter(Boolean);
    expect([told.length, told.at(-1)]).toEqual([10, 'event: end\ndata: {}']);
    live.kill('SIGINT');
    expect(await live.ended).toMatchObject({ code: 0, signal: null });
  });

  it('leaves the schedule of a job out, whose context has its prompt', async () => {
    const workspace = await newWorkspace(demo);
    await workspace.detent(['cron', 'add', 'sum', '--every', '1h', '--prompt', 'What is 17 * 23?']);
    const ended = await workspace.detent(['inspect', 'job_', '--stately', '--json']);
    expect(ended.code).not.toBe(0);
    expect(ended.stdout).not.toContain('@xstate');
  });

  describeWith(hasTerminals, 'the program /usr/bin/script is missing')('on a terminal', () => {
    it('asks first', async () => {
      const { workspace, runId } = await withRun();
      const live = workspace.onTerminal(['inspect', runId, '--stately']);
      await live.saw('stdout', /Send it to stately\.ai\? \[y\/N\]/);
      live.write('\r');
      await live.saw('stdout', /nothing was sent/);
      expect((await live.ended).code).toBe(130);
    });
  });
});
