import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import {
  answering,
  bareWorkspace,
  by,
  hasTerminals,
  newWorkspace,
  type Workspace,
} from '../../../support/cli.ts';
import { textOf } from '../../../support/mock-provider.ts';
import { describeWith } from '../../../support/needs.ts';
import { parkedWorkspace } from '../../../support/parked.ts';

/** A session `chat` with one run, made without a process of its own. */
async function chatted(): Promise<Workspace> {
  const workspace = await newWorkspace();
  await workspace.withLibrary((detent) => detent.run('What is 6*7?', { sessionId: 'chat' }).result);
  return workspace;
}

async function parked() {
  const provider = await answering({ calls: [{ name: 'note', arguments: { text: 'a' } }] }, { text: 'anew' });
  const { workspace, view } = await parkedWorkspace(provider, 'note it', 'lane');
  return { workspace, runId: view.runId, provider };
}

const inDatabase = (workspace: Workspace, word: string) =>
  readdirSync(workspace.path('.detent')).filter((name) => {
    const path = workspace.path(`.detent/${name}`);
    return statSync(path).isFile() && readFileSync(path).includes(word);
  });

describe.concurrent('sessions list', () => {
  it('shows the status of each, as text and as JSON', async () => {
    const { workspace, runId } = await parked();
    const { code, view } = await workspace.json<Record<string, unknown>[]>(['sessions', 'list']);
    expect(code).toBe(0);
    expect(view).toMatchObject([{ sessionId: 'lane', runs: 1, status: 'waiting', messages: 2 }]);
    const { stdout } = await workspace.detent(['sessions', 'list', '--limit', '1']);
    expect(stdout).toMatch(
      /^lane {2}waiting +\d{4}-\S+ {2}1 run {2}2 messages {2}default {2}mock\/model {2}\? {2}note it\n$/,
    );
    expect(stdout).not.toContain(runId);
  });
});

describe.concurrent('sessions search', () => {
  it('shows who said what, while another process drives the database', async () => {
    const { workspace, runId } = await parked();
    const { code, stdout, stderr } = await workspace.detent(['sessions', 'search', 'note']);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout).toMatch(new RegExp(`^lane {2}\\(\\d{4}-\\S+Z, ${runId}\\)\n {2}user: note it\n`));
    const { view } = await workspace.json<object>(['sessions', 'search', 'note', 'Notiz', '--limit', '1']);
    expect(view).toMatchObject({
      indexed: 1,
      pending: 0,
      stale: false,
      reason: null,
      results: [{ sessionId: 'lane', runId, role: 'user', snippet: 'user: note it', from: 'owner' }],
    });
  });

  it('says why it finds nothing', async () => {
    const workspace = await chatted();
    expect(await workspace.detent(['sessions', 'search', 'zebra'])).toMatchObject({
      code: 0,
      stdout: '',
      stderr: expect.stringContaining('try other words'),
    });
    const others = await workspace.detent(['sessions', 'search', '6*7', '--user', 'ada']);
    expect(others).toMatchObject({ code: 0, stdout: '' });
  });
});

describe.concurrent('sessions show', () => {
  it.each([
    ['show', 'nope'],
    ['clear', 'nope'],
    ['delete', 'nope', '--yes'],
    ['fork', 'nope', '--at', 'run_x:1'],
    ['export', 'nope'],
  ])('%s of a session that does not exist ends with 4, with and without a database', async (...args) => {
    for (const workspace of [await bareWorkspace(), await newWorkspace()]) {
      const ended = await workspace.detent(['sessions', ...args]);
      expect(ended).toMatchObject({ code: 4, stdout: '' });
      expect(ended.stderr).toContain('nope');
    }
  });
});

describe.concurrent('sessions clear', () => {
  it('is refused while a run is unfinished, and with --force lets the next run begin anew', async () => {
    const { workspace, runId, provider } = await parked();
    const refused = await workspace.detent(['sessions', 'clear', 'lane']);
    expect(refused).toMatchObject({ code: 1, stdout: '' });
    expect(refused.stderr).toContain('--force');
    expect((await workspace.look(runId)).status).toBe('waiting');
    const forced = await workspace.json(['sessions', 'clear', 'lane', '--force']);
    expect(forced).toMatchObject({ code: 0, view: { sessionId: 'lane', cleared: 3 } });
    expect((await workspace.look(runId)).status).toBe('cancelled');
    await workspace.detent(['run', 'something new', '--session', 'lane', ...by(provider)]);
    const asked = provider.requests.at(-1)?.body.messages ?? [];
    expect(asked.filter(({ role }) => role === 'user').map(textOf)).toEqual(['something new']);
    const { stdout } = await workspace.detent(['sessions', 'show', 'lane']);
    expect(stdout).toMatch(/note it.*--- models no longer see the messages above ---.*something new/s);
  });
});

describe.concurrent('sessions delete', () => {
  it('requires --yes without a terminal, and then leaves no trace in the file', async () => {
    const workspace = await chatted();
    const unasked = await workspace.detent(['sessions', 'delete', 'chat']);
    expect(unasked).toMatchObject({ code: 2, stdout: '' });
    expect(unasked.stderr).toContain('--yes');
    expect(inDatabase(workspace, '6*7')).not.toEqual([]);
    const { code, view } = await workspace.json(['sessions', 'delete', 'chat', '--yes']);
    expect([code, view]).toEqual([0, { sessionId: 'chat', runs: 1, messages: 4, erased: true }]);
    expect(inDatabase(workspace, '6*7')).toEqual([]);
    expect((await workspace.json(['sessions', 'list'])).view).toEqual([]);
  });

  it('is refused while a run is unfinished, and cancels it with --force', async () => {
    const { workspace } = await parked();
    expect((await workspace.detent(['sessions', 'delete', 'lane', '--yes'])).code).toBe(1);
    const forced = await workspace.detent(['sessions', 'delete', 'lane', '--yes', '--force']);
    expect(forced).toMatchObject({ code: 0, stdout: 'deleted: 1 run, 3 messages\n' });
  });
});

describe.concurrent('sessions fork', () => {
  it('makes a session in the state of this one, and starts nothing', async () => {
    const { workspace, runId } = await parked();
    const at = `${runId}:2`;
    const { code, view } = await workspace.json<Record<string, unknown>>([
      'sessions',
      'fork',
      'lane',
      '--at',
      at,
      '--session',
      'try',
    ]);
    expect(code).toBe(0);
    expect(view).toMatchObject({ sessionId: 'try', status: 'waiting', from: { runId, seq: 2 } });
    const text = await workspace.detent(['sessions', 'fork', 'lane', '--at', at]);
    expect(text.stdout).toMatch(/^run_\w+ {2}waiting {2}ses_\w+\n$/);
    for (const bad of [runId, `${runId}:x`, ':1'])
      expect((await workspace.detent(['sessions', 'fork', 'lane', '--at', bad])).code).toBe(2);
    expect((await workspace.detent(['sessions', 'fork', 'lane', '--at', `${runId}:99`])).code).toBe(2);
  });
});

describe.concurrent('sessions export and import', () => {
  it('move a session to another workspace, where a run continues it', async () => {
    const [here, there] = [await chatted(), await bareWorkspace()];
    const file = there.path('events.jsonl');
    const toFile = await here.detent(['sessions', 'export', 'chat', '--output', file]);
    expect(toFile).toMatchObject({ code: 0, stdout: '', stderr: '' });
    const { stdout } = await here.detent(['sessions', 'export', 'chat']);
    expect(readFileSync(file, 'utf8')).toBe(stdout);
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(readdirSync(there.folder)).toEqual(['events.jsonl']);

    const { code, view } = await there.json(['sessions', 'import', 'events.jsonl']);
    expect([code, view]).toMatchObject([
      0,
      { sessionId: 'chat', lines: stdout.split('\n').length - 1, notes: [] },
    ]);
    expect((await there.detent(['sessions', 'export', 'chat'])).stdout).toBe(stdout);
    const provider = await answering({ text: 'As I said.' });
    expect((await there.detent(['run', 'Sure?', '--session', 'chat', ...by(provider)])).code).toBe(0);
    const asked = provider.requests[0]?.body.messages ?? [];
    expect(asked.map(({ role }) => role)).toEqual([
      'system',
      'user',
      'assistant',
      'tool',
      'assistant',
      'user',
    ]);
    const again = await there.detent(['sessions', 'import', 'events.jsonl']);
    expect(again).toMatchObject({ code: 1, stdout: '' });
    expect(again.stderr).toContain('--session');
  });

  it('read stdin, and say what was mended', async () => {
    const workspace = await newWorkspace();
    const input = '{"type":"user.message","text":"hi"}\n{"type":"assistant.mess';
    const ended = await workspace.detent(['sessions', 'import', '-', '--session', 'k'], { input });
    expect(ended.code).toBe(0);
    expect(ended.stdout).toMatch(/^k {2}1 line, 1 message {2}run_\w+\n$/);
    expect(ended.stderr).toContain('last line was cut off');
  });

  it('name the line that is bad, the file that is missing, the folder that cannot be written', async () => {
    const workspace = await chatted();
    await workspace.write('bad.jsonl', '{"type":"user.message","text":"hi"}\nnonsense\n{"type":"x"}\n');
    const bad = await workspace.detent(['sessions', 'import', 'bad.jsonl']);
    expect(bad).toMatchObject({ code: 1, stdout: '' });
    expect(bad.stderr).toContain('line 2');
    expect((await workspace.detent(['sessions', 'import', 'none.jsonl'])).code).toBe(4);
    const unwritten = await workspace.detent(['sessions', 'export', 'chat', '--output', 'no/where']);
    expect(unwritten).toMatchObject({ code: 1, stdout: '' });
    expect(unwritten.stderr).toContain('no/where');
    expect(existsSync(workspace.path('no'))).toBe(false);
  });

  it('leave imported runs to be looked at: replay says that there is no log', async () => {
    const workspace = await newWorkspace();
    const input = '{"type":"user.message","text":"hi"}\n';
    const { view } = await workspace.json<{ runId: string }>(['sessions', 'import', '-', '--session', 'k'], {
      input,
    });
    expect((await workspace.detent(['runs', 'show', view.runId])).code).toBe(0);
    const replay = await workspace.detent(['runs', 'replay', view.runId]);
    expect(`${replay.stdout}${replay.stderr}`).toContain('imported');
    expect((await workspace.detent(['runs', 'why', view.runId])).code).toBe(0);
    expect((await workspace.detent(['runs', 'events', view.runId])).stdout).toContain('user.message');
    expect((await workspace.detent(['runs', 'resume', '--all'])).code).toBe(0);
    const fork = await workspace.detent(['sessions', 'fork', 'k', '--at', `${view.runId}:1`]);
    expect(fork).toMatchObject({ code: 1, stdout: '' });
  });
});

describeWith(hasTerminals, 'the program /usr/bin/script is missing')('sessions delete', () => {
  it('asks on a terminal', async () => {
    const workspace = await chatted();
    const answered = async (line: string) => {
      const live = workspace.onTerminal(['sessions', 'delete', 'chat']);
      await live.saw('stdout', /Delete session "chat" for good, with 1 run and 4 messages\?/);
      live.write(`${line}\r`);
      return live.ended;
    };
    const kept = await answered('');
    expect(kept.code).toBe(130);
    expect(kept.stdout).toContain('nothing was deleted');
    const gone = await answered('y');
    expect(gone.code).toBe(0);
    expect(gone.stdout).toContain('deleted: 1 run, 4 messages');
  });
});
