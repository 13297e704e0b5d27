import { existsSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import type { Why } from '../../../../src/index.ts';
import { answering, by, newWorkspace, type Workspace } from '../../../support/cli.ts';
import { type MockAnswer, type MockProvider, textOf } from '../../../support/mock-provider.ts';
import { approve, parkedWorkspace } from '../../../support/parked.ts';
import { toolsConfig } from '../../../support/tools-config.ts';

const note = (text: string) => ({ name: 'note', arguments: { text } });

/** A run that waits for a decision on each of these notes. */
async function parked(notes: string[], ...after: MockAnswer[]) {
  const provider = await answering({ text: 'Let me write.', calls: notes.map(note) }, ...after);
  const { workspace, view } = await parkedWorkspace(provider, 'write');
  const calls = view.pending.map(({ callId }) => callId);
  const hashes = view.pending.map(({ argumentsHash }) => argumentsHash);
  return { workspace, provider, runId: view.runId, calls, hashes };
}

const logOf = (workspace: Workspace) =>
  existsSync(workspace.path('calls.log')) ? readFileSync(workspace.path('calls.log'), 'utf8') : '';

/** The results that the model gets, in order. */
const toldIn = (provider: MockProvider, request: number) =>
  provider.requests[request]?.body.messages.filter(({ role }) => role === 'tool').map(textOf);

describe.concurrent('a parked run', () => {
  it('is decided by another process and resumed by a third', async () => {
    const { workspace, provider, runId, calls } = await parked(['milk'], { text: 'Written.' });
    const decided = await workspace.detent(['runs', 'confirm', runId, `${calls[0]}`, '--approve']);
    expect(decided).toMatchObject({ code: 0, stdout: 'decided: approve\n' });
    expect(decided.stderr).toContain(`detent runs resume ${runId}`);
    expect(logOf(workspace)).toBe('');
    expect(provider.requests).toHaveLength(1);

    const { code, view } = await workspace.json(['runs', 'resume', runId]);
    expect({ code, text: view.text }).toEqual({ code: 0, text: 'Written.' });
    expect(view.steps[0]?.toolCalls[0]).toMatchObject({ status: 'done', decision: 'approve' });
    expect(logOf(workspace)).toBe('note milk\n');
    expect(toldIn(provider, 1)).toEqual(['noted milk']);
  });

  it('shows in text only what happens now', async () => {
    const { workspace, runId, calls } = await parked(['milk'], { text: 'Written.' });
    await approve(workspace, runId, calls[0]);
    const { stdout, stderr } = await workspace.detent(['runs', 'resume', runId]);
    expect(stdout).toBe('Written.\n');
    expect(stderr.trim().split('\n')).toEqual([
      '· using note',
      '· thinking',
      expect.stringMatching(/^· done/),
    ]);
  });

  it('tells the whole log with --jsonl', async () => {
    const { workspace, runId, calls } = await parked(['milk'], { text: 'Written.' });
    await approve(workspace, runId, calls[0]);
    const { stdout } = await workspace.detent(['runs', 'resume', runId, '--jsonl']);
    const events = stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as { seq: number });
    expect(events.map(({ seq }) => seq)).toEqual(events.map((_, i) => i + 1));
    expect(stdout).toContain('"confirm.decide"');
    expect(events.at(-1)).toMatchObject({ path: 'done' });
  });
});

describe.concurrent('runs confirm', () => {
  it('that is decided says so until it is resumed, everywhere', async () => {
    const { workspace, runId, calls } = await parked(['milk'], { text: 'ok' });
    await approve(workspace, runId, calls[0]);
    const said = async (...words: string[]) => (await workspace.detent(words)).stdout;
    expect((await workspace.json(['runs', 'show', runId])).view.status).toBe('decided');
    expect(await said('runs', 'show', runId)).toContain('status   decided, waits for resume\n');
    expect(await said('runs', 'list')).toMatch(/ decided /);
    expect(await said('sessions', 'list')).toContain('decided');
    const why = await said('runs', 'why', runId);
    expect(why).toContain(
      `a person decided on ${calls[0]} (approve), and no process has resumed the run since`,
    );
    expect(why).not.toContain('ended while');
    expect(await said('doctor')).toMatch(/Runs that wait +none for a person, 1 decided, for resume/);
    expect((await workspace.json(['runs', 'resume', runId])).view.status).toBe('done');
  });

  it('changes one of two calls, rejects the other with a reason, and needs both decisions', async () => {
    const { workspace, provider, runId, calls } = await parked(['milk', 'bread'], { text: 'Then not.' });
    const [first = '', second = ''] = calls;
    const reason = 'we have enough "bread"';
    const bare = first.slice(1);
    const one = await workspace.detent(['runs', 'confirm', runId, bare, '--modify', '{"text":"oat milk"}']);
    expect(one.stderr).toContain('waits for more decisions');
    await workspace.detent(['runs', 'confirm', runId, second, '--reject', '--reason', reason]);
    expect((await workspace.detent(['runs', 'resume', runId])).code).toBe(0);
    expect(logOf(workspace)).toBe('note oat milk\n');
    expect(toldIn(provider, 1)).toEqual([
      expect.stringContaining('oat milk'),
      expect.stringContaining(reason),
    ]);
  });

  it('tells a second decision what the first was', async () => {
    const { workspace, runId, calls } = await parked(['milk'], { text: 'ok' });
    const confirm = ['runs', 'confirm', runId, `${calls[0]}`];
    await workspace.detent([...confirm, '--approve']);
    const second = await workspace.json([...confirm, '--reject', '--reason', 'too late']);
    expect(second).toMatchObject({ code: 1, view: { applied: false, verdict: 'approve', stands: false } });
    expect(second.stderr).toContain('came too late and changed nothing: "approve" stands');
    const text = await workspace.detent([...confirm, '--approve']);
    expect(text).toMatchObject({ code: 0, stdout: 'already decided: approve\n' });
    const { view } = await workspace.json(['runs', 'resume', runId]);
    expect(view.steps[0]?.toolCalls[0]?.status).toBe('done');
    const after = await workspace.json([...confirm, '--reject']);
    expect(after).toMatchObject({ code: 1, view: { applied: false, verdict: 'approve' } });
  });

  it('takes a call by its bare number, too', async () => {
    const { workspace, runId, calls } = await parked(['milk']);
    const bare = `${calls[0]}`.slice(1);
    expect((await workspace.detent(['runs', 'confirm', runId, bare, '--approve'])).code).toBe(0);
  });
});

describe.concurrent('runs resume', () => {
  it('of a run that has ended prints its end again, and says of it what why says', async () => {
    const workspace = await newWorkspace({ 'detent.config.ts': toolsConfig });
    const provider = await answering({ text: 'Once.' }, { status: 401 }, { calls: [note('milk')] });
    const ends = [
      [0, 'Once.\n'],
      [1, ''],
      [130, ''],
    ] as const;
    for (const [code, stdout] of ends) {
      const { view } = await workspace.json(['run', 'hi', ...by(provider)]);
      if (code === 130) await workspace.detent(['runs', 'cancel', view.runId, '--reason', 'no milk']);
      const again = await workspace.detent(['runs', 'resume', view.runId]);
      const { summary, next } = (await workspace.json<Why>(['runs', 'why', view.runId])).view;
      expect(again).toMatchObject({ code, stdout });
      expect(again.stderr).toContain(`and cannot be resumed: ${summary}\n`);
      for (const { text, command } of next)
        expect(again.stderr).toContain(`${text}${command ? `:\n    ${command}` : ''}\n`);
    }
    expect(provider.requests).toHaveLength(3);
  });

  it('--all resumes every run that can be resumed, and ends with 5 when one still waits', async () => {
    const { workspace, provider, runId, calls } = await parked(['milk'], { text: 'Written.' });
    provider.play({ sequence: [{ calls: [note('bread')] }, { text: 'Written.' }] });
    const other = await workspace.json(['run', 'write bread', ...by(provider)]);
    await approve(workspace, runId, calls[0]);
    const all = await workspace.json<{ runId: string; status: string }[]>(['runs', 'resume', '--all']);
    expect(all.code).toBe(5);
    expect(Object.fromEntries(all.view.map((view) => [view.runId, view.status]))).toEqual({
      [runId]: 'done',
      [other.view.runId]: 'waiting',
    });
    const text = await workspace.detent(['runs', 'resume', '--all']);
    expect(text).toMatchObject({ code: 5, stdout: `${other.view.runId}  waiting\n` });
  });
});
