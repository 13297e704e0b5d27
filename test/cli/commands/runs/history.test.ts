import Sqlite from 'better-sqlite3';
import { describe, expect, it } from 'vitest';
import type { RunDiff, RunPrompt, RunReplay, Why } from '../../../../src/index.ts';
import { answering, at, by, newWorkspace, type Workspace } from '../../../support/cli.ts';
import { tampersWith } from '../../../support/left-behind.ts';
import type { MockSlot } from '../../../support/mock-provider.ts';
import { parkedWorkspace } from '../../../support/parked.ts';

const round = { calls: [{ name: 'calculator', arguments: { expression: '6*7' } }] };
const note = { calls: [{ name: 'note', arguments: { text: 'a' } }] };

/** A workspace with one run that has ended, made without a process of its own. */
async function finished(...answers: MockSlot[]) {
  const provider = await answering(...answers);
  const workspace = await newWorkspace();
  const { runId, sessionId } = await workspace.withLibrary(
    (detent) => detent.run('go', { model: 'mock/model', baseUrl: provider.baseUrl }).result,
  );
  return { workspace, provider, runId, sessionId };
}

const lines = (text: string) => text.trimEnd().split('\n');

/** Every row of the runs' tables, as they are stored. */
function rows(workspace: Workspace): string {
  const db = new Sqlite(workspace.path('.detent/detent.db'), { readonly: true });
  const tables = [
    'sessions',
    'runs',
    'run_events',
    'effects',
    'timers',
    'messages',
    'confirmations',
    'drivers',
  ];
  const all = tables.map((table) => db.prepare(`select * from ${table}`).all());
  db.close();
  return JSON.stringify(all);
}

describe.concurrent('detent runs events', () => {
  it('prints one object a line with --jsonl, as the run did, with hashes', async () => {
    const workspace = await newWorkspace();
    const provider = await answering(round, { text: 'It is 42.' });
    const live = await workspace.detent(['run', 'go', '--jsonl', ...by(provider)]);
    const told = lines(live.stdout).map((line) => JSON.parse(line));
    const { stdout } = await workspace.detent(['runs', 'events', told[0].runId, '--jsonl']);
    const stored = lines(stdout).map((line) => JSON.parse(line));
    expect(stored.map(({ hash }) => hash)).toEqual(told.map(() => expect.stringMatching(/^\w{11}$/)));
    expect(stored.map(({ hash: _, ...event }) => event)).toEqual(told);
  });
});

describe.concurrent('detent runs why', () => {
  it('names the provider’s own words, how the run got there, and the command to type', async () => {
    const message = 'Incorrect API key provided: sk-proj-…, see your dashboard.';
    const wrong = {
      status: 401,
      body: { error: { message, type: 'invalid_request_error', code: 'invalid_api_key' } },
    };
    const { workspace, runId } = await finished(wrong);
    const { code, stdout } = await workspace.detent(['runs', 'why', runId]);
    expect(code).toBe(0);
    expect(stdout).toContain(message);
    expect(stdout).toContain('the provider did not accept the key (mock/model at http://127.0.0.1:');
    expect(stdout).toMatch(/asked: mayRetryModel no, isAwaited yes, hasFailed yes/);
    expect(stdout).toContain(`detent runs fork ${runId} --at 1`);
    const { view } = await workspace.json<Why>(['runs', 'why', runId]);
    expect(view).toMatchObject({ runId, cause: 'bad_key', outcome: 'provider_error' });
  });
});

describe.concurrent('detent runs show --prompt', () => {
  it('prints what the model was sent, in its last call or in one before', async () => {
    const { workspace, runId, provider } = await finished(round, { text: 'It is 42.' });
    type Sent = { messages: { role: string; content: string }[]; tools: { function: { name: string } }[] };
    const sent = provider.requests.map(({ body }) => body as Sent);
    const { view } = await workspace.json<RunPrompt>(['runs', 'show', runId, '--prompt']);
    expect(view).toMatchObject({ runId, model: 'mock/model', answeredAt: 4, tokens: view.tokensThen });
    expect(view.messages.map(({ role }) => role)).toEqual(sent[1]?.messages.map(({ role }) => role));
    expect(view.tools.map(({ name }) => name)).toEqual(sent[1]?.tools.map((one) => one.function.name));
    const { stdout } = await workspace.detent(['runs', 'show', runId, '--prompt', '1']);
    expect(stdout).toMatch(/^run +run_\S+, as it stood at seq 1; its answer is seq 2\nmodel +mock\/model\n/);
    expect(stdout).toContain('--- user\ngo\n');
    expect(stdout).toContain('--- tool calculator {');
    expect(stdout).not.toContain('--- assistant');
    expect((await workspace.detent(['runs', 'show', runId, '--prompt', '0'])).stderr).toContain(
      'no model had been called',
    );
    expect((await workspace.detent(['runs', 'show', runId, '--prompt', '--script'])).code).toBe(2);
  });
});

describe.concurrent('detent runs cancel', () => {
  it('ends a run for good, and says so when it had ended before', async () => {
    const provider = await answering(note, { text: 'ok' });
    const { workspace, view } = await parkedWorkspace(provider, 'go');
    const first = await workspace.json<object>(['runs', 'cancel', view.runId, '--reason', 'wrong account']);
    expect([first.code, first.view]).toEqual([
      0,
      { runId: view.runId, cancelled: true, status: 'cancelled', outcome: 'cancelled' },
    ]);
    const again = await workspace.json<object>(['runs', 'cancel', view.runId]);
    expect([again.code, again.view]).toMatchObject([0, { cancelled: false, status: 'cancelled' }]);
    const said = await workspace.detent(['runs', 'cancel', view.runId]);
    expect([said.code, said.stdout]).toEqual([0, 'the run has already ended: cancelled\n']);
    expect((await workspace.detent(['runs', 'events', view.runId])).stdout).toContain('wrong account');
    // The list marks the transitions that did not lead to the last one.
    const { stdout } = await workspace.detent(['runs', 'why', view.runId]);
    expect(stdout).toContain('How the run got here:\n  … seq 1 to 2\n  seq 3  run.cancel: wrong account\n');
    expect(provider.requests).toHaveLength(1);
  });
});

describe.concurrent('detent runs replay', () => {
  it('agrees with what is stored, run by run, and changes nothing', async () => {
    const { workspace, runId, provider } = await finished(round, { text: 'It is 42.' });
    const before = rows(workspace);
    const one = await workspace.detent(['runs', 'replay', runId]);
    expect([one.code, one.stdout]).toEqual([0, `${runId}  4 transitions agree\n`]);
    const all = await workspace.json<RunReplay[]>(['runs', 'replay', '--all']);
    expect([all.code, all.view]).toEqual([
      0,
      [{ runId, folded: 4, unfolded: 0, diverged: null, error: null }],
    ]);
    expect([rows(workspace), provider.requests.length]).toEqual([before, 2]);
  });

  it('names the seq and both values where they differ, and exits with 1', async () => {
    const { workspace, runId } = await finished(round, { text: 'It is 42.' });
    tampersWith(workspace.folder);
    const db = new Sqlite(workspace.path('.detent/detent.db'));
    db.prepare("update run_events set path = 'failed' where seq = 4").run();
    db.close();
    const { code, stdout } = await workspace.detent(['runs', 'replay', runId]);
    expect([code, stdout]).toEqual([
      1,
      `${runId}  differs at seq 4: path\n  stored  failed\n  folded  done\n`,
    ]);
    expect((await workspace.detent(['runs', 'replay', '--all'])).code).toBe(1);
  });
});

describe.concurrent('detent runs fork', () => {
  it('lists open effects and starts nothing; resume continues the fork, and diff says where they diverge', async () => {
    const { workspace, runId, provider } = await finished(
      round,
      { text: 'It is 42.' },
      { text: 'Forty-two.' },
    );
    const fork = await workspace.detent(['runs', 'fork', runId, '--at', '3']);
    expect([fork.code, fork.stderr]).toEqual([
      0,
      expect.stringContaining('effect 3 effect.callModel: starts on resume'),
    ]);
    const [copy = ''] = fork.stdout.split(' ');
    expect(fork.stdout).toMatch(/^run_\w+ {2}unstarted {2}ses_\w+\n$/);
    expect(provider.requests).toHaveLength(2);
    const resumed = await workspace.detent(['runs', 'resume', copy, ...at(provider)]);
    expect([resumed.code, resumed.stdout]).toEqual([0, 'Forty-two.\n']);
    expect((await workspace.look(runId)).text).toBe('It is 42.');

    const diff = await workspace.detent(['runs', 'diff', runId, copy]);
    expect(diff.stdout).toContain('the runs agree in the first 3 transitions, then diverge:');
    expect(diff.stdout).toMatch(
      /a {2}seq 4 {2}model\.done → done\n {2}b {2}seq 5 {2}model\.done → done\n {2}messages\.0\.text/,
    );
    expect(diff.stdout).toMatch(/answer +"It is 42\." {2}≠ {2}"Forty-two\."/);
    expect(diff.code).toBe(0);
    expect(await workspace.detent(['runs', 'diff', '--exit-code', runId, copy])).toMatchObject({ code: 1 });
    expect(await workspace.detent(['runs', 'diff', '--exit-code', copy, copy])).toMatchObject({ code: 0 });
    const { view } = await workspace.json<RunDiff>(['runs', 'diff', runId, copy]);
    expect(view).toMatchObject({
      common: 3,
      a: { steps: 2, toolCalls: 1, text: 'It is 42.' },
      b: { steps: 2, toolCalls: 1 },
    });
  });

  it('takes another model and other words', async () => {
    const { workspace, runId, sessionId, provider } = await finished({ text: 'one' }, { text: 'two' });
    const changes = [...by(provider, 'mock/another'), '--edit-message', 'go on'];
    const { view } = await workspace.json<{ runId: string; sessionId: string; from: object }>([
      'runs',
      'fork',
      runId,
      '--at',
      '1',
      ...changes,
    ]);
    expect(view).toMatchObject({
      status: 'unstarted',
      from: { runId, seq: 1 },
      open: [{ effect: 1, status: 'pending' }],
    });
    expect(view.sessionId).not.toBe(sessionId);
    await workspace.detent(['runs', 'resume', view.runId, ...at(provider)]);
    expect(provider.requests[1]?.body).toMatchObject({ model: 'another' });
    expect(provider.requests[1]?.body.messages.at(-1)).toMatchObject({ role: 'user', content: 'go on' });
  });
});
