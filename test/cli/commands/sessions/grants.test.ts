import { describe, expect, it } from 'vitest';
import { answering, at, by, hasTerminals, newWorkspace, screen } from '../../../support/cli.ts';
import { describeWith } from '../../../support/needs.ts';
import { toolsConfig } from '../../../support/tools-config.ts';

const note = (text: string) => ({ calls: [{ name: 'note', arguments: { text } }] });

/** A session whose first run waits for a note to be approved; each later run asks for another. */
async function parked(...notes: string[]) {
  const provider = await answering(...notes.flatMap((text) => [note(text), { text: 'Noted.' }]));
  const workspace = await newWorkspace({ 'detent.config.ts': toolsConfig });
  const say = () => workspace.json(['run', 'write', '--session', 'day', ...by(provider)]);
  const { view } = await say();
  return { workspace, provider, say, runId: view.runId, call: `${view.pending[0]?.callId}` };
}

describe.concurrent('--for-session', () => {
  it('approves calls like it from then on; sessions grants shows and revokes that', async () => {
    const { workspace, provider, say, runId, call } = await parked('milk', 'milk', 'milk');
    const confirm = ['runs', 'confirm', runId, call, '--approve', '--for-session'];
    expect((await workspace.detent(confirm)).stdout).toBe('decided: approve\n');
    await workspace.detent(['runs', 'resume', runId, ...at(provider)]);
    const { stdout } = await workspace.detent(['sessions', 'grants', 'day']);
    expect(stdout).toMatch(/^1 {2}note \{"text":\{"is":"milk"\}\} {2}\S+, with c2 of run_\w+, by cli:\S+\n$/);

    const { code, view } = await say();
    expect({ code, status: view.status }).toEqual({ code: 0, status: 'done' });
    const shown = await workspace.detent(['runs', 'show', view.runId]);
    expect(shown.stdout).toContain('     by session grant 1, over tool default: note asks\n');

    const revoked = await workspace.detent(['sessions', 'grants', 'day', '--revoke', '1']);
    expect(revoked).toMatchObject({ code: 0, stdout: 'revoked: grant 1\n' });
    expect((await workspace.detent(['sessions', 'grants', 'day', '--json'])).stdout).toBe('[]\n');
    expect((await say()).view.status).toBe('waiting');
  });

  it('takes a pattern, if that means the call', async () => {
    const { workspace, provider, say, runId, call } = await parked('milk', 'bread', 'bread; rm');
    const confirm = (...words: string[]) => workspace.detent(['runs', 'confirm', runId, call, ...words]);
    const grant = ['--approve', '--for-session', '--pattern'];
    expect(await confirm(...grant, '{"text":"other"}')).toMatchObject({
      stderr: expect.stringContaining('does not match call c2 itself'),
    });
    expect(await confirm(...grant, 'no json')).toMatchObject({ code: 2 });
    expect(await confirm('--approve', '--pattern', '{}')).toMatchObject({ code: 2 });
    expect(await confirm('--reject', '--for-session')).toMatchObject({ code: 2 });
    expect(await confirm(...grant, '{"text":{"like":"*"}}')).toMatchObject({ code: 0 });
    await workspace.detent(['runs', 'resume', runId, ...at(provider)]);
    expect((await say()).view.status).toBe('done');
    expect((await say()).view.status).toBe('waiting');
  });

  it('has nothing to show of a session that is not there', async () => {
    const { workspace } = await parked('milk');
    expect((await workspace.detent(['sessions', 'grants', 'day'])).stderr).toContain('has no grants');
    expect(await workspace.detent(['sessions', 'grants', 'night'])).toMatchObject({
      code: 4,
      stderr: expect.stringContaining('no session "night"'),
    });
  });
});

describeWith(hasTerminals, 'the program /usr/bin/script is missing')('[s] at the question', () => {
  it('says what it has allowed from then on', async () => {
    const provider = await answering(note('milk'), { text: 'Noted.' });
    const workspace = await newWorkspace({ 'detent.config.ts': toolsConfig });
    const live = workspace.onTerminal(['run', 'write', '--session', 'day', ...by(provider)]);
    await live.saw('stdout', /\[l\]ater\? $/);
    live.write('s\r');
    const { code, stdout } = await live.ended;
    expect(code).toBe(0);
    expect(screen(stdout)).toContain(
      '· allowed from now on in this session: note {"text":"milk"} (revoke it with: detent sessions grants day --revoke 1)',
    );
  });
});
