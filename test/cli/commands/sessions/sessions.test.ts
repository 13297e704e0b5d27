import { describe, expect, it } from 'vitest';
import { answering, bareWorkspace, by, mockProvider, newWorkspace } from '../../../support/cli.ts';
import { parkedWorkspace } from '../../../support/parked.ts';

/** A session whose one run waits for a decision. */
async function parked() {
  const provider = await mockProvider({
    turns: [
      {
        when: 'note it',
        answers: [{ calls: [{ name: 'note', arguments: { text: 'a' } }] }, { text: 'noted' }],
      },
      { answers: [{ text: 'something else' }] },
    ],
  });
  const { workspace, view } = await parkedWorkspace(provider, 'note it', 'lane');
  return { workspace, session: ['--session', 'lane', ...by(provider)], first: view };
}

describe.concurrent('a session', () => {
  it.each(['', 'a\nb', 'x'.repeat(201)])('of the key %j is refused', async (key) => {
    const workspace = await newWorkspace();
    const ended = await workspace.detent(['run', 'hi', '--session', key]);
    expect(ended.code).toBe(2);
    expect(ended.stderr).toContain('session');
  });
});

describe.concurrent('a session whose run waits for a person', () => {
  it('queues a later run behind it, with 5, and names the one to decide on', async () => {
    const { workspace, session, first } = await parked();
    const later = await workspace.json(['run', 'something else', ...session]);
    expect(later.code).toBe(5);
    expect(later.view).toMatchObject({ status: 'queued', outcome: null, states: ['idle'], steps: [] });
    expect(later.stderr).toContain(first.runId);
    expect(later.stderr).toContain(`detent runs resume ${later.view.runId}`);
  });

  it('shows in text only what the steering message brings', async () => {
    const { workspace, session } = await parked();
    const args = ['run', 'something else', '--mode', 'steer', ...session];
    const { stdout, stderr } = await workspace.detent(args);
    expect(stdout).toBe('something else\n');
    expect(stderr.match(/thinking/g)).toHaveLength(1);
    expect(stderr).not.toContain('note');
  });
});

describe.concurrent('runs list', () => {
  it('has the newest first, with status and session', async () => {
    const { workspace, session, first } = await parked();
    const later = await workspace.json(['run', 'something else', ...session]);
    const { code, view } = await workspace.json<Record<string, unknown>[]>(['runs', 'list']);
    expect(code).toBe(0);
    expect(view).toMatchObject([
      { runId: later.view.runId, status: 'queued', sessionId: 'lane' },
      { runId: first.runId, status: 'waiting', sessionId: 'lane' },
    ]);
    const { stdout } = await workspace.detent(['runs', 'list']);
    expect(stdout.trim().split('\n')).toHaveLength(2);
    expect(stdout).toMatch(new RegExp(`${first.runId}\\s+waiting`));
  });

  it('can be narrowed to a session and a number', async () => {
    const workspace = await newWorkspace();
    const provider = await answering({ text: '1' }, { text: '2' }, { text: '3' });
    for (const session of ['a', 'b', 'a'])
      await workspace.detent(['run', 'hi', '--session', session, ...by(provider)]);
    const list = async (...args: string[]) =>
      (await workspace.json<unknown[]>(['runs', 'list', ...args])).view.length;
    expect(await list()).toBe(3);
    expect(await list('--session', 'a')).toBe(2);
    expect(await list('--session', 'nobody')).toBe(0);
    expect(await list('--limit', '1')).toBe(1);
  });
});

describe.concurrent('runs show', () => {
  it.each([
    ['show', 'run_nope'],
    ['events', 'run_nope'],
    ['cancel', 'run_nope'],
    ['resume', 'run_nope'],
    ['confirm', 'run_nope', 'c1', '--approve'],
    ['reconcile', 'run_nope', 'c1', '--skip'],
  ])('%s of a run that does not exist ends with 4, with and without a database', async (...args) => {
    for (const workspace of [await bareWorkspace(), await newWorkspace()]) {
      const ended = await workspace.detent(['runs', ...args]);
      expect(ended).toMatchObject({ code: 4, stdout: '' });
      expect(ended.stderr).toContain('run_nope');
    }
  });
});
