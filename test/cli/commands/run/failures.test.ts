import { describe, expect, it } from 'vitest';
import { answering, by, mockProvider, newWorkspace } from '../../../support/cli.ts';
import { freePort } from '../../../support/listening.ts';

describe.concurrent('a provider that fails', () => {
  it('tells a person once, on one line of stderr, without a stack', async () => {
    const workspace = await newWorkspace();
    const baseUrl = `http://127.0.0.1:${await freePort()}/v1`;
    const args = ['run', 'hi', '--quiet', '--max-retries', '0', ...by({ baseUrl })];
    const { code, stdout, stderr } = await workspace.detent(args);
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
    expect(stderr.trim().split('\n')).toHaveLength(1);
    expect(stderr).toContain('MODEL_NETWORK');
  });

  it('says in text mode what is wrong and that it tries again', async () => {
    const workspace = await newWorkspace();
    const provider = await answering(
      { status: 503, headers: { 'retry-after': '0' }, body: { error: { message: 'lunch break' } } },
      { text: 'back' },
    );
    const { stdout, stderr } = await workspace.detent(['run', 'hi', ...by(provider)]);
    expect(stdout).toBe('back\n');
    expect(stderr).toMatch(/lunch break.*Retrying in/);
  });

  it('says that there is no answer, and where the reason is, when the model says nothing again and again', async () => {
    const workspace = await newWorkspace();
    const provider = await mockProvider({ sequence: Array.from({ length: 10 }, () => ({ text: '' })) });
    const { code, view, stderr } = await workspace.json(['run', 'hi', '--quiet', ...by(provider)]);
    expect({ code, outcome: view.outcome }).toEqual({ code: 0, outcome: 'completed_degraded' });
    expect(stderr).toMatch(/completed, but without an answer; see why: detent runs why run_/);
  });
});
