import { describe, expect, it } from 'vitest';
import { newWorkspace } from '../../../support/cli.ts';

const config = JSON.stringify({
  agents: { short: { systemPrompt: 'Be brief.', model: 'demo/demo' } },
});

async function chat(...lines: string[]) {
  const workspace = await newWorkspace({ 'detent.config.json': config });
  const talk = ['chat', '--session', 'day'];
  const ended = await workspace.detent(talk, { input: `${lines.join('\n')}\n` });
  return { workspace, ...ended };
}

describe('commands of a chat that look around', () => {
  it('/clear hides what was said from the next run, and keeps it in the log', async () => {
    const { workspace, code, stdout } = await chat('what is 2 + 3?', '/clear');
    expect(code).toBe(0);
    expect(stdout).toContain('cleared: no model sees the 4 messages before this again');
    const { view } = await workspace.json<{ conversation: { inPrompt: boolean }[] }>([
      'sessions',
      'show',
      'day',
    ]);
    expect(view.conversation.every(({ inPrompt }) => !inPrompt)).toBe(true);
  });

  it('/compact says what came of it', async () => {
    expect((await chat('hello', '/compact')).stdout).toMatch(
      /nothing to compact: about \d+ tokens|compacted: about/,
    );
  });

  it('/agent shows the agents, uses one, and refuses one that does not exist', async () => {
    const { workspace, stdout, stderr } = await chat('/agent', '/agent short', '/agent nope', 'hello');
    expect(stdout).toContain('the agent is default; there are default, short');
    expect(stdout).toContain('from the next message on: agent short, demo/demo');
    expect(stderr).toContain('there is no agent "nope"; there are default, short');
    expect((await workspace.lookAtOne()).agent).toBe('short');
  });

  it('/tools and /skills list what can be used, /memory searches', async () => {
    const { stdout } = await chat('/tools', '/skills', '/memory', '/memory tea');
    expect(stdout).toMatch(/^calculator +Computes/m);
    expect(stdout).toMatch(/^write_file +asks +Writes/m);
    expect(stdout).toMatch(/^\/code-review +Reviews/m);
    expect(stdout).toContain('search the memory with: /memory WORDS');
    expect(stdout).toContain('nothing is remembered yet');
  });

  it('before the first message say that there is nothing', async () => {
    const { code, stderr } = await chat('/clear', '/compact', '/resume');
    expect(code).toBe(0);
    expect(stderr).toContain('no session "day"');
  });
});
