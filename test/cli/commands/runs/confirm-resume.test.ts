import { existsSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { answering, by, newWorkspace } from '../../../support/cli.ts';

const asking = { calls: [{ name: 'write_file', arguments: { path: 'a.txt', content: 'b' } }] };

async function parked() {
  const workspace = await newWorkspace();
  const provider = await answering(asking, { text: 'Written.' });
  const { view } = await workspace.json(['run', 'write', ...by(provider)]);
  const at = ['--base-url', provider.baseUrl];
  return { workspace, at, confirm: ['runs', 'confirm', view.runId, view.pending[0]?.callId ?? ''], view };
}

describe('runs confirm --resume', () => {
  it('decides, and resumes the run to its end', async () => {
    const { workspace, at, confirm } = await parked();
    const { code, stdout, stderr } = await workspace.detent([...confirm, '--approve', '--resume', ...at]);
    expect([code, stdout]).toEqual([0, 'Written.\n']);
    expect(stderr).toMatch(/^decided: approve\n/);
    expect(existsSync(workspace.path('a.txt'))).toBe(true);
  });

  it('prints the resumed run as JSON, as resume does', async () => {
    const { workspace, at, confirm, view } = await parked();
    const resumed = await workspace.json([...confirm, '--reject', '--reason', 'no', '--resume', ...at]);
    expect(resumed.view).toMatchObject({ runId: view.runId, status: 'done', text: 'Written.' });
    expect(existsSync(workspace.path('a.txt'))).toBe(false);
  });

  it('resumes nothing after a decision that lost', async () => {
    const { workspace, at, confirm, view } = await parked();
    await workspace.detent([...confirm, '--approve']);
    const late = await workspace.detent([...confirm, '--reject', '--resume', ...at]);
    expect(late.stdout).toBe('already decided: approve\n');
    expect((await workspace.look(view.runId)).status).not.toBe('done');
    const again = await workspace.detent([...confirm, '--approve', '--resume', ...at]);
    expect([again.code, again.stdout]).toEqual([0, 'Written.\n']);
  });
});
