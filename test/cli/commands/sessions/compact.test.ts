import { describe, expect, it } from 'vitest';
import { bareWorkspace, mockProvider, newWorkspace } from '../../../support/cli.ts';

const demo = ['--session', 'sums', '--model', 'demo/demo', '--quiet'];

describe.concurrent('detent sessions compact', () => {
  it('says what was flushed and how much smaller the conversation is', async () => {
    const workspace = await newWorkspace();
    for (const n of [1, 2, 3, 4]) await workspace.detent(['run', `What is ${n} * 23?`, ...demo]);
    const { code, stdout } = await workspace.detent(['sessions', 'compact', 'sums']);
    expect([code, stdout]).toEqual([
      0,
      expect.stringMatching(
        /^flushed: \d lines to the memory file of the day\ncompacted: about \d+ tokens, now \d+\n$/,
      ),
    ]);
    const shown = (await workspace.detent(['sessions', 'show', 'sums'])).stdout;
    expect(shown.match(/^---.*$/gm)).toEqual(['--- models see a summary instead of the messages above ---']);
    expect(shown).toMatch(/user: What is 1 \* 23\?.*--- models see.*user: What is 4 \* 23\?.*summary: /s);
    await workspace.detent(['sessions', 'compact', 'sums']);
    const again = await workspace.detent(['sessions', 'compact', 'sums', '--json']);
    expect([again.code, JSON.parse(again.stdout)]).toMatchObject([
      0,
      { sessionId: 'sums', outcome: 'completed', nothing: true, flushed: { how: 'nothing', lines: 0 } },
    ]);
  });

  it('says so when nothing was gained', async () => {
    const compact = async (answer: string, summary: string) => {
      const { baseUrl } = await mockProvider({
        turns: [
          { when: 'Before the conversation above is shortened', answers: [{ text: 'They are short.' }] },
          { when: 'Summarise the conversation above', answers: [{ text: summary }] },
          { answers: [{ text: answer }] },
        ],
      });
      const limits = { maxRetries: 0 };
      const config = { model: 'mock/m', models: { mock: { baseUrl } }, limits };
      const workspace = await newWorkspace({ 'detent.config.json': JSON.stringify(config) });
      for (const prompt of ['x', 'y']) await workspace.detent(['run', prompt, '--session', 'talk']);
      return workspace.detent(['sessions', 'compact', 'talk']);
    };
    const larger = await compact(
      'Hello, I am a scripted model.',
      'They said x, and were greeted by a model.',
    );
    expect(larger.stdout).toMatch(
      /compacted: about \d+ tokens, now \d+; not smaller, because the newest messages stay whole\n$/,
    );
    const refused = await compact('Hello.', 'They said x, and were greeted by a model, more than once.');
    expect(refused).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/nothing was compacted, because the summary was rejected: .* shorter/),
    });
  });

  it('refuses an unknown session, and makes no database for it', async () => {
    const workspace = await bareWorkspace();
    const { code, stderr } = await workspace.detent(['sessions', 'compact', 'other']);
    expect([code, stderr]).toEqual([4, expect.stringContaining('no session "other"')]);
  });

  it('takes another model for the summary, if there is one', async () => {
    const workspace = await newWorkspace();
    await workspace.detent(['run', 'What is 2 + 2?', ...demo]);
    const { code, stderr } = await workspace.detent(['sessions', 'compact', 'sums', '--model', 'nobody/m']);
    expect([code, stderr]).toEqual([2, expect.stringContaining('nobody')]);
  });
});
