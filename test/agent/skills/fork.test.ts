import { describe, expect, it } from 'vitest';
import type { ModelRequest } from '../../../src/protocol/ports/chat-model.ts';
import type { ScriptLine } from '../../../src/testing/index.ts';
import { skillFile } from '../../skills/support.ts';
import { scripted, temporaryWorkspace, tool } from '../../support/detent.ts';
import { writeFiles } from '../../support/files.ts';

const look = tool('look');
const free = tool('free', { sideEffect: 'unsafe', confirm: false });
const call = (name: string, args: object = {}): ScriptLine => ({ toolCalls: [{ name, arguments: args }] });
const load = call('skill', { name: 'tea' });
const end: ScriptLine = { text: 'end' };
const toolsOf = (request: ModelRequest | undefined) => request?.tools.map(({ name }) => name) ?? [];

/** A run with these answers, of which the last ones are for its fork, in a workspace with a skill that allows one tool. */
async function ran(prompt: string, script: readonly ScriptLine[]) {
  const workspace = await temporaryWorkspace();
  await writeFiles(workspace, { 'skills/tea/SKILL.md': skillFile('tea', 'allowed-tools: look\n') });
  const { detent, model } = await scripted(script, {
    workspace,
    env: { DETENT_HOME: workspace },
    skills: { bundled: false },
    tools: { define: [look, free] },
  });
  const { runId } = await detent.run(prompt).result;
  const events = await detent.runs.events(runId);
  const fork = async (at: number, of = runId) => {
    const forked = await detent.runs.fork(of, { at });
    await detent.runs.resume({ runId: forked.runId });
    const view = await detent.runs.attach(forked.runId).result;
    expect(await detent.runs.replay(forked.runId)).toMatchObject({ diverged: null });
    return { view };
  };
  return { fork, model, events, loadedAt: events.find(({ event }) => 'skill' in event)?.seq ?? 0 };
}

describe('a fork of a run that follows a skill', () => {
  const script = [load, call('free'), end];

  it('is bound by it when it begins after the skill was loaded', async () => {
    const { fork, loadedAt, model } = await ran('tea', [...script, call('free'), end]);
    const before = model.requests.length;
    const { view } = await fork(loadedAt);
    expect(toolsOf(model.requests[before])).toEqual(['look', 'skill']);
    expect(view.steps.at(-2)?.toolCalls[0]).toMatchObject({ name: 'free', code: 'TOOL_NOT_ALLOWED' });
    expect(view.skills?.followed).toMatchObject([{ name: 'tea', by: 'call' }]);
  });

  it('is bound by it at the very end of the run', async () => {
    const { fork, loadedAt, events, model } = await ran('tea', [...script, call('free'), end]);
    const refused = events.find(({ seq, event }) => seq > loadedAt && event.type === 'model.done')?.seq ?? 0;
    const before = model.requests.length;
    await fork(refused);
    expect(toolsOf(model.requests[before])).toEqual(['look', 'skill']);
  });

  it('is free when it begins before', async () => {
    const { fork, events, model } = await ran('tea', [...script, call('free'), end]);
    const asked = events.find(({ event }) => event.type === 'run.start')?.seq ?? 1;
    const before = model.requests.length;
    const { view } = await fork(asked);
    expect(toolsOf(model.requests[before])).toContain('free');
    expect(view.steps[0]?.toolCalls[0]).toMatchObject({ name: 'free', status: 'done' });
    expect(view.skills?.followed ?? []).toEqual([]);
  });

  it('loads it again when the call had not ended, and is bound from then on', async () => {
    const { fork, loadedAt, model } = await ran('tea', [...script, call('free'), end]);
    const before = model.requests.length;
    const { view } = await fork(loadedAt - 1);
    expect(toolsOf(model.requests[before])).toEqual(['look', 'skill']);
    expect(view.skills?.followed).toMatchObject([{ name: 'tea', by: 'call' }]);
    expect(view.steps.at(-2)?.toolCalls[0]).toMatchObject({ code: 'TOOL_NOT_ALLOWED' });
  });

  it('is bound from its beginning when the prompt named it', async () => {
    const { fork, model } = await ran('/tea now', [end, call('free'), end]);
    const { view } = await fork(0);
    expect(toolsOf(model.requests[1])).toEqual(['look', 'skill']);
    expect(view.steps[0]?.toolCalls[0]).toMatchObject({ code: 'TOOL_NOT_ALLOWED' });
  });

  it('of a fork is bound, too', async () => {
    const { fork, loadedAt } = await ran('tea', [...script, call('look'), end, call('free'), end]);
    const { view: first } = await fork(loadedAt);
    const { view } = await fork(loadedAt, first.runId);
    expect(view.skills?.followed).toMatchObject([{ name: 'tea' }]);
    expect(view.steps.at(-2)?.toolCalls[0]).toMatchObject({ code: 'TOOL_NOT_ALLOWED' });
  });
});

describe('a fork that is asked for something else', () => {
  async function asked(prompt: string, editMessage: string) {
    const workspace = await temporaryWorkspace();
    await writeFiles(workspace, {
      'skills/tea/SKILL.md': skillFile('tea', 'allowed-tools: look\n'),
      'skills/cake/SKILL.md': skillFile('cake', 'allowed-tools: free\n'),
    });
    const { detent, model } = await scripted([end, end], {
      workspace,
      env: { DETENT_HOME: workspace },
      skills: { bundled: false },
      tools: { define: [look, free] },
    });
    const { runId } = await detent.run(prompt).result;
    const forked = await detent.runs.fork(runId, { at: 1, editMessage });
    await detent.runs.resume({ runId: forked.runId });
    const view = await detent.runs.attach(forked.runId).result;
    expect(await detent.runs.replay(forked.runId)).toMatchObject({ diverged: null });
    const request = model.requests.at(-1);
    return {
      followed: view.skills?.followed.map(({ name }) => name) ?? [],
      tools: toolsOf(request),
      text: request?.messages.findLast(({ role }) => role === 'user')?.text ?? '',
    };
  }

  it('follows the skill that it names, and no more the one that the original named', async () => {
    const { followed, tools, text } = await asked('/tea green', '/cake with cream');
    expect(followed).toEqual(['cake']);
    expect(tools).toEqual(['free', 'skill']);
    expect(text).toMatch(/^\/cake with cream\n\n\[Skill /);
    expect(text).not.toContain('tea');
  });

  it('follows none when it names none', async () => {
    const { followed, tools, text } = await asked('/tea green', 'Just water.');
    expect(followed).toEqual([]);
    expect(tools).toContain('free');
    expect(text).toBe('Just water.');
  });

  it('follows one where the original followed none', async () => {
    const { followed, tools } = await asked('Just water.', '/tea green');
    expect(followed).toEqual(['tea']);
    expect(tools).toEqual(['look', 'skill']);
  });
});
