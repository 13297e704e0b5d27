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

  it('is the configuration’s when no flag is given', async () => {
    const workspace = await withTools();
    const provider = await answering(noting('milk'), { text: 'done' });
    const env = { EXTRA_CONFIG: '{"policy":{"approve":"all"}}' };
    const { code } = await workspace.detent(['run', 'go', ...by(provider)], { env });
    expect(code).toBe(0);
  });

  it('asks nothing of a tool that the configuration says needs no confirmation', async () => {
    const workspace = await withTools();
    const provider = await answering(noting('milk'), { text: 'done' });
    const env = { EXTRA_CONFIG: '{"policy":{"confirm":{"note":false}}}' };
    const { code } = await workspace.detent(['run', 'go', ...by(provider)], { env });
    expect(code).toBe(0);
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

  it('answers a call of another one with TOOL_NOT_ALLOWED, which the model reads', async () => {
    const workspace = await newWorkspace({ 'secret.txt': 'hidden' });
    const reading = { calls: [{ name: 'read_file', arguments: { path: 'secret.txt' } }] };
    const provider = await answering(reading, { calls: [{ name: 'datetime' }] }, { text: 'another way' });
    const { code, view } = await workspace.json(['run', 'go', '--tools', 'datetime', ...by(provider)]);
    expect(code).toBe(0);
    expect(view.steps[0]?.toolCalls[0]).toMatchObject({ code: 'TOOL_NOT_ALLOWED', isError: true });
    expect(JSON.stringify(provider.requests[1]?.body)).toContain('read_file');
    expect(JSON.stringify(provider.requests)).not.toContain('hidden');
  });

  it('cannot widen what the configuration allows', async () => {
    const workspace = await withTools();
    const provider = await answering({ text: 'ok' });
    const env = { ALLOWED: 'look,datetime' };
    await workspace.detent(['run', 'go', '--tools', 'note,look', ...by(provider)], { env });
    expect(provider.requests[0]?.body.tools?.map((tool) => tool.function.name)).toEqual(['look']);
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
