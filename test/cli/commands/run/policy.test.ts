import { existsSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { answering, by, newWorkspace } from '../../../support/cli.ts';
import { textOf } from '../../../support/mock-provider.ts';
import { toolsConfig } from '../../../support/tools-config.ts';

const withTools = () => newWorkspace({ 'detent.config.ts': toolsConfig });
const noting = (text: string) => ({ calls: [{ name: 'note', arguments: { text } }] });

describe.concurrent('--approve', () => {
  it('all runs what would ask', async () => {
    const workspace = await withTools();
    const provider = await answering(noting('milk'), { text: 'done' });
    const { code, view } = await workspace.json(['run', 'go', '--approve', 'all', ...by(provider)]);
    expect(code).toBe(0);
    expect(view.steps[0]?.toolCalls[0]).toMatchObject({
      status: 'done',
      result: 'noted milk',
      decision: null,
    });
    expect(readFileSync(workspace.path('calls.log'), 'utf8')).toBe('note milk\n');
  });

  it('none refuses what would ask, tells the model, and ends blocked when the model stops', async () => {
    const workspace = await withTools();
    const provider = await answering(noting('milk'), { text: 'I could not.' });
    const { code, view } = await workspace.json(['run', 'go', '--approve', 'none', ...by(provider)]);
    expect(code).toBe(1);
    expect(view).toMatchObject({ status: 'failed', outcome: 'blocked_by_policy', text: 'I could not.' });
    expect(view.steps[0]?.toolCalls[0]).toMatchObject({
      status: 'rejected',
      isError: true,
      code: 'REJECTED_BY_POLICY',
    });
    const told = textOf(provider.requests[1]?.body.messages.at(-1));
    expect(told).toContain('approval');
    expect(existsSync(workspace.path('calls.log'))).toBe(false);
  });

  it('ask parks the run without a terminal, and says how to decide', async () => {
    const workspace = await withTools();
    const provider = await answering(noting('milk'));
    const { code, stdout, stderr } = await workspace.detent(['run', 'go', ...by(provider)]);
    expect({ code, stdout }).toEqual({ code: 5, stdout: '' });
    expect(stderr).toMatch(/detent runs confirm run_\w+ c\d+ --approve/);
    expect(stderr).toMatch(/detent runs resume run_\w+/);
    expect(stderr).toContain('"text":"milk"');
    expect(existsSync(workspace.path('calls.log'))).toBe(false);
  });
});

describe.concurrent('--tools', () => {
  it('shows the model only these', async () => {
    const workspace = await newWorkspace();
    const provider = await answering({ text: 'ok' });
    await workspace.detent(['run', 'go', '--tools', 'datetime, calculator', ...by(provider)]);
    const names = provider.requests[0]?.body.tools?.map((tool) => tool.function.name);
    expect(names).toEqual(['calculator', 'datetime']);
  });

  it('offers none with an empty list', async () => {
    const workspace = await newWorkspace();
    const provider = await answering({ text: 'ok' });
    const { code } = await workspace.detent(['run', 'go', '--tools', '', ...by(provider)]);
    expect(code).toBe(0);
    expect(provider.requests[0]?.body.tools ?? []).toEqual([]);
  });

  it('warns of a name that no tool has', async () => {
    const workspace = await newWorkspace();
    const provider = await answering({ text: 'ok' });
    const { code, stderr } = await workspace.detent(['run', 'go', '--tools', 'reed_file', ...by(provider)]);
    expect(code).toBe(0);
    expect(stderr).toContain('"reed_file"');
    expect(stderr).toContain('read_file');
  });
});
