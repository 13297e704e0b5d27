import { describe, expect, it } from 'vitest';
import type { RunView } from '../../../../src/index.ts';
import { answering, newWorkspace, type Workspace } from '../../../support/cli.ts';
import type { MockProvider } from '../../../support/mock-provider.ts';

const env = { OPENAI_API_KEY: 'sk-of-the-user' };
const model = 'openai/gpt-5-mini';
const question = {
  calls: [{ name: 'write_file', arguments: { path: 'a.txt', content: 'a' } }],
};

/**
 * A database whose one run is parked, approved, and says that its model is a known provider's at an address of its own, with
 * whatever else a hostile row can say.
 */
async function planted(extra: { apiKeyEnv?: string } = {}) {
  const elsewhere = await answering(question, { text: 'Stolen.' }, { text: 'Again.' });
  const workspace = await newWorkspace({}, { env });
  const runId = await workspace.withLibrary(
    async (detent) => {
      const { baseUrl } = elsewhere;
      const view = await detent.run('write', { model, baseUrl, sessionId: 'k', ...extra }).result;
      await detent.runs.confirm(view.runId, view.pending[0]?.callId ?? '', { verdict: 'approve' });
      return view.runId;
    },
    { env },
  );
  const asked = elsewhere.requests.length;
  return { workspace, elsewhere, runId, sentSince: () => elsewhere.requests.length - asked };
}

const statusOf = async (workspace: Workspace, runId: string) =>
  (await workspace.json<RunView>(['runs', 'show', runId, '--json'])).view.status;

/** A provider's address that the configuration names. */
const configured = ({ baseUrl }: MockProvider) => JSON.stringify({ models: { openai: { baseUrl } } });

describe.concurrent('an address that only a row of the database names', () => {
  it('gets no key and no words from resume, which prints the whole command that names it', async () => {
    const { workspace, elsewhere, runId, sentSince } = await planted();
    const { code, stderr } = await workspace.detent(['runs', 'resume', runId]);
    expect([code, sentSince()]).toEqual([3, 0]);
    const command = `detent runs resume ${runId} --base-url ${elsewhere.baseUrl}`;
    expect(stderr).toContain(`${elsewhere.baseUrl}, which only the database names now`);
    expect(stderr).toContain(command);
    expect(await statusOf(workspace, runId)).toBe('interrupted');

    const named = await workspace.detent(command.split(' ').slice(1));
    expect([named.code, named.stdout, sentSince()]).toEqual([0, 'Stolen.\n', 1]);
  });

  it.each([
    ['resume --all', ['runs', 'resume', '--all']],
    ['a run of its session', ['run', '--session', 'k', 'go on']],
    ['a run of its session with another model', ['run', '--session', 'k', '--model', 'demo/demo', 'go on']],
    ['a chat of its session', ['chat', '--session', 'k']],
    ['a compaction of its session', ['sessions', 'compact', 'k']],
    [
      'a fork with another model of the provider',
      ['runs', 'fork', 'last', '--at', '1', '--model', 'openai/b'],
    ],
  ])('gets nothing from %s', async (_, args) => {
    const { workspace, runId, sentSince } = await planted();
    const { code, stdout, stderr } = await workspace.detent(args, { input: 'hello\n' });
    expect([sentSince(), stdout, stderr]).toEqual([
      0,
      expect.any(String),
      expect.stringContaining('--base-url'),
    ]);
    expect(code).not.toBe(0);
    expect(await statusOf(workspace, runId)).toBe('interrupted');
  });

  it('gets nothing from a fork that is resumed', async () => {
    const { workspace, sentSince } = await planted();
    const { view } = await workspace.json(['runs', 'fork', 'last', '--at', '1', '--json']);
    const { code } = await workspace.detent(['runs', 'resume', view.runId]);
    expect([code, sentSince()]).toEqual([3, 0]);
  });

  it('is not replaced by the address of another provider, and a foreign variable is no key', async () => {
    const secrets = { ...env, GITHUB_TOKEN: 'ghp-secret' };
    const { workspace, elsewhere, runId, sentSince } = await planted({ apiKeyEnv: 'OPENAI_API_KEY' });
    await workspace.write('detent.config.json', JSON.stringify({ models: { house: elsewhere } }));
    expect((await workspace.detent(['runs', 'resume', runId], { env: secrets })).code).toBe(3);
    expect(sentSince()).toBe(0);
  });

  it('is used when the configuration names it, too', async () => {
    const { workspace, elsewhere, runId } = await planted();
    await workspace.write('detent.config.json', configured(elsewhere));
    const { code, stdout } = await workspace.detent(['runs', 'resume', runId]);
    expect([code, stdout]).toEqual([0, 'Stolen.\n']);
  });

  it('gives way to another one that a flag names: the server has moved', async () => {
    const { workspace, runId, sentSince } = await planted();
    const moved = await answering({ text: 'Moved.' });
    const { code, stdout } = await workspace.detent(['runs', 'resume', runId, '--base-url', moved.baseUrl]);
    expect([code, stdout, sentSince()]).toEqual([0, 'Moved.\n', 0]);
  });

  it('is used by the program that was given it, after a close as well once that names it again', async () => {
    const { workspace, elsewhere, runId } = await planted();
    await workspace.withLibrary(
      async (detent) => {
        await expect(detent.runs.resume({ runId })).rejects.toMatchObject({ code: 'ADDRESS_NOT_NAMED' });
        const { baseUrl } = elsewhere;
        await detent.runs.resume({ sessionId: 'k' }, undefined, { model, baseUrl });
        expect((await detent.runs.attach(runId).result).text).toBe('Stolen.');
      },
      { env },
    );
  });

  it('cannot be named for all runs at once', async () => {
    const { workspace } = await planted();
    const args = ['runs', 'resume', '--all', '--base-url', 'http://127.0.0.1:9/v1'];
    expect(await workspace.detent(args)).toMatchObject({ code: 2 });
  });
});
