import { describe, expect, it } from 'vitest';
import { textWidth } from '../../../../src/cli/terminal/text-width.ts';
import type { RunSummary } from '../../../../src/index.ts';
import { answering, by, hasTerminals, newWorkspace, screen } from '../../../support/cli.ts';
import { someOf } from '../../../support/deep.ts';
import { describeWith } from '../../../support/needs.ts';

const asking = { calls: [{ name: 'write_file', arguments: { path: 'a', content: 'b' } }] };
const priced = JSON.stringify({
  models: { mock: { models: { model: { price: { inputUsd: 10_000, outputUsd: 10_000 } } } } },
});

/** Three runs: one done, in the session `trip`; one that waits; one that failed. */
async function threeRuns() {
  const workspace = await newWorkspace({ 'detent.config.json': priced });
  const provider = await answering(
    { text: 'Lisbon.', usage: { prompt_tokens: 100, completion_tokens: 50 } },
    asking,
    { status: 400, body: { error: { message: 'no' } } },
  );
  await workspace.detent(['run', 'Where to?\n\n  去哪里？', '--session', 'trip', ...by(provider)]);
  await workspace.detent(['run', 'write it', ...by(provider)]);
  await workspace.detent(['run', 'fail', ...by(provider)]);
  return workspace;
}

describe('detent runs list', () => {
  it('shows the words of a prompt, without the text of its files and its skill', async () => {
    const workspace = await newWorkspace({ 'notes.txt': 'milk and eggs' });
    const provider = await answering({ text: 'a' }, { text: 'b' });
    const run = (...words: string[]) => workspace.detent(['run', ...words, ...by(provider)]);
    await run('what is it?', '--attach', 'notes.txt', '--session', 's');
    await run('/code-review this line');
    const prompts = async (noun: string) =>
      (await workspace.json<{ prompt: string }[]>([noun, 'list'])).view.map(({ prompt }) => prompt);
    expect(await prompts('runs')).toEqual(['/code-review this line', 'what is it?']);
    expect(await prompts('sessions')).toContain('what is it?');
  });

  it('keeps only runs of a status, or that moved since', async () => {
    const workspace = await threeRuns();
    const promptsOf = async (...flags: string[]) =>
      (await workspace.json<RunSummary[]>(['runs', 'list', ...flags])).view.map(({ prompt }) => prompt);
    expect(await promptsOf('--status', 'waiting')).toEqual(['write it']);
    expect(await promptsOf('--status', 'waiting,failed')).toEqual(['fail', 'write it']);
    expect(await promptsOf('--status', 'done', '--session', 'trip')).toEqual(['Where to? 去哪里？']);
    expect(await promptsOf('--status', 'failed', '--session', 'trip')).toEqual([]);
    expect(await promptsOf('--status', 'done', '--limit', '1')).toEqual(['Where to? 去哪里？']);
    expect(await promptsOf('--since', '2h')).toHaveLength(3);
    expect(await promptsOf('--since', '2999-01-01')).toEqual([]);
    const none = await workspace.detent(['runs', 'list', '--status', 'queued']);
    expect([none.code, none.stdout, none.stderr]).toEqual([0, '', 'no run fits\n']);
  });

  it('finds a run of a status behind many of others', async () => {
    const workspace = await newWorkspace();
    await workspace.withLibrary(async (detent) => {
      await detent.run('the first', { sessionId: 'first' }).result;
      for (let i = 0; i < 12; i++) await detent.run('hello', { sessionId: 'more' }).result;
      await detent.runs.cancel((await detent.runs.list({ sessionId: 'first' }))[0]?.runId ?? '');
      const list = await detent.runs.list({ sessionId: 'first', status: ['done'], limit: 1 });
      expect(list.map(({ prompt }) => prompt)).toEqual(['the first']);
      await expect(detent.runs.list({ status: ['odd' as never] })).rejects.toMatchObject({
        code: 'INVALID_ARGUMENTS',
        message: expect.stringContaining('queued, unstarted, running, waiting'),
      });
      await expect(detent.sessions.list({ since: Number.NaN })).rejects.toMatchObject({
        code: 'INVALID_ARGUMENTS',
      });
    });
  });
});

/** A terminal begins its lines anew by itself. */
const onScreen = (written: string) => screen(written.replaceAll('\n', '\r\n'));

describe.concurrent('on a terminal', () => {
  const lists = [['runs'], ['sessions'], ['tools'], ['skills'], ['models']];

  it.each(someOf(lists, 2))('%s list fits the width', async (noun) => {
    const workspace = await threeRuns();
    for (const columns of [60, 80, 132]) {
      const { stdout } = await workspace.detent([noun, 'list'], { columns });
      const lines = onScreen(stdout).split('\n');
      expect(lines.length).toBeGreaterThan(2);
      // The last line of `models list` is a sentence, and the sets of tools are whole.
      const rows = lines.filter((line) => !line.startsWith('default:') && !line.startsWith('@'));
      for (const line of rows) expect(textWidth(line), line).toBeLessThanOrEqual(columns);
    }
  });
});

describeWith(hasTerminals, 'the program /usr/bin/script is missing')('a real terminal', () => {
  it('shows what a command in the process of a test writes for one', async () => {
    const workspace = await threeRuns();
    for (const columns of [60, 132]) {
      const live = workspace.onTerminal(['runs', 'list'], { size: { columns, rows: 40 } });
      const here = await workspace.detent(['runs', 'list'], { columns });
      const shown = (text: string) => text.replace(/\d+ s ago/g, 'just now');
      expect(shown(screen((await live.ended).stdout))).toBe(shown(onScreen(here.stdout)));
    }
  });
});
