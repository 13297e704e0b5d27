import { describe, expect, it } from 'vitest';
import { answering, by, newWorkspace } from '../../../support/cli.ts';
import { itDeep } from '../../../support/deep.ts';

const round = { calls: [{ name: 'datetime' }] };

describe.concurrent('limits of a run', () => {
  it('--max-steps ends it after so many answers', async () => {
    const workspace = await newWorkspace();
    const provider = await answering(round, round, round);
    const { code, view, stderr } = await workspace.json(['run', 'go', '--max-steps', '2', ...by(provider)]);
    expect(code).toBe(1);
    expect(view).toMatchObject({ status: 'failed', outcome: 'max_steps' });
    expect(view.steps).toHaveLength(2);
    expect(provider.requests).toHaveLength(2);
    expect(view.error?.message).toBeTruthy();
    expect(stderr).toContain('max_steps');
  });

  it('--max-tokens ends it when they are spent', async () => {
    const workspace = await newWorkspace();
    const provider = await answering(round, round, round);
    const { code, view } = await workspace.json(['run', 'go', '--max-tokens', '16', ...by(provider)]);
    expect(code).toBe(1);
    expect(view).toMatchObject({ status: 'failed', outcome: 'budget_exhausted' });
    expect(provider.requests).toHaveLength(2);
  });

  itDeep('--timeout ends a run whose provider is silent, with 124 and the words so far', async () => {
    const workspace = await newWorkspace();
    const provider = await answering({ text: 'half an ans', ending: 'hang' });
    const { code, view, stderr } = await workspace.json(['run', 'go', '--timeout', '5s', ...by(provider)]);
    expect(code).toBe(124);
    expect(view).toMatchObject({ status: 'failed', outcome: 'deadline', text: 'half an ans' });
    expect(stderr).toContain('deadline');
  });

  it('repeats a call that failed in passing, as often as --max-retries says', async () => {
    const workspace = await newWorkspace();
    const busy = { status: 503, headers: { 'retry-after': '0' } };
    const provider = await answering(busy, { text: 'now' });
    const { code, view } = await workspace.json(['run', 'go', '--max-retries', '1', ...by(provider)]);
    expect({ code, text: view.text }).toEqual({ code: 0, text: 'now' });
    expect(view.states).toContain('active.working.thinking.backingOff');
  });

  it('takes limits from the configuration, and a flag before them', async () => {
    const workspace = await newWorkspace({ 'detent.config.json': '{"limits":{"maxSteps":1}}' });
    const provider = await answering(round, round, { text: 'end' });
    const first = await workspace.json(['run', 'go', ...by(provider)]);
    expect(first.view.outcome).toBe('max_steps');
    const second = await workspace.json(['run', 'go', '--max-steps', '5', ...by(provider)]);
    expect(second.view.outcome).toBe('completed');
  });
});
