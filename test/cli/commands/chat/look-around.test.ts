import { describe, expect, it } from 'vitest';
import { answering, by, newWorkspace } from '../../../support/cli.ts';

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
    expect(stdout).toContain('cleared: models no longer see the 4 messages before this');
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
    expect(stdout).toContain('the memory is empty');
  });

  it('before the first message say that there is nothing', async () => {
    const { code, stderr } = await chat('/clear', '/compact', '/resume');
    expect(code).toBe(0);
    expect(stderr).toContain('no session "day"');
  });
});

describe('/session KEY of a chat', () => {
  const agents = { coder: { systemPrompt: 'You code.' }, poet: { model: 'mock/poems' } };

  /** A workspace whose session `k` was last continued by the coder, with a model of its own. */
  async function withSession(answers: number) {
    const provider = await answering(...Array.from({ length: answers + 1 }, () => ({ text: 'Yes.' })));
    const models = { mock: { baseUrl: provider.baseUrl } };
    const workspace = await newWorkspace({
      'detent.config.json': JSON.stringify({ model: 'mock/usual', models, agents }),
    });
    await workspace.detent(['run', 'hi', '--session', 'k', '--agent', 'coder', '--model', 'mock/special']);
    const talk = (flags: string[], ...lines: string[]) =>
      workspace.detent(['chat', ...flags], { input: `${lines.join('\n')}\n` });
    const modelsAsked = () => provider.requests.slice(1).map(({ body }) => body.model);
    return { workspace, provider, talk, modelsAsked };
  }

  it('takes the agent and model of that session, and a new one keeps those of the chat', async () => {
    const { workspace, talk, modelsAsked } = await withSession(3);
    const { stdout } = await talk([], 'one', '/session k', 'two', '/session new', 'three');
    expect(stdout).toContain('the session is now k, with agent coder, mock/special\n');
    expect(stdout).toMatch(/the session is now chat_\w+, with agent coder, mock\/special\n/);
    expect(modelsAsked()).toEqual(['usual', 'special', 'special']);
    const { view } = await workspace.json<{ agent: string }[]>(['runs', 'list', '--session', 'k']);
    expect(view.map(({ agent }) => agent)).toEqual(['coder', 'coder']);
  });

  it('keeps what a flag of the chat named, and only that', async () => {
    const { talk, modelsAsked } = await withSession(2);
    await talk([], '/agent poet', '/model mock/chosen', '/session k', 'one');
    await talk(['--model', 'mock/named'], '/session k', 'two');
    expect(modelsAsked()).toEqual(['special', 'named']);
  });

  it('names the command for an address that only a row has, and stays where it is', async () => {
    const provider = await answering({ text: 'Yes.' });
    const workspace = await newWorkspace();
    await workspace.detent(['run', 'hi', '--session', 'k', ...by(provider)]);
    const { code, stdout, stderr } = await workspace.detent(['chat', '--session', 'here'], {
      input: '/session k\n/session\n',
    });
    expect(code).toBe(0);
    expect(stderr).toContain('detent chat --session k --model mock/model --base-url');
    expect(stdout).toContain('the session is here');
    expect(provider.requests).toHaveLength(1);
  });
});
