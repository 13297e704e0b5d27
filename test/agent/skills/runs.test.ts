import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { DetentOptions, RunRequest } from '../../../src/index.ts';
import type { ModelRequest } from '../../../src/protocol/ports/chat-model.ts';
import { openSkills } from '../../../src/runtime/parts/skills.ts';
import type { ScriptLine } from '../../../src/testing/index.ts';
import { skillFile } from '../../skills/support.ts';
import { scripted, temporaryWorkspace, tool, withModel } from '../../support/detent.ts';
import { writeFiles } from '../../support/files.ts';
import { isPrompt, isSummary, talkative, words } from '../compaction/support.ts';

const look = tool('look');
const act = tool('act', { sideEffect: 'unsafe' });
const free = tool('free', { sideEffect: 'unsafe', confirm: false });
const load = (name: string, more: object = {}): ScriptLine => ({
  toolCalls: [{ name: 'skill', arguments: { name, ...more } }],
});
const call = (name: string, args: object = {}): ScriptLine => ({ toolCalls: [{ name, arguments: args }] });
const end: ScriptLine = { text: 'end' };

interface Setting {
  skills: Readonly<Record<string, string>>;
  script: readonly ScriptLine[];
  options?: DetentOptions;
}

/** A Detent whose workspace holds these skills, each a `SKILL.md` or more files. */
async function setting({ skills, script, options = {} }: Setting) {
  const workspace = await temporaryWorkspace();
  const home = await temporaryWorkspace();
  await writeFiles(
    workspace,
    Object.fromEntries(Object.entries(skills).map(([path, text]) => [`.claude/skills/${path}`, text])),
  );
  const env = { DETENT_HOME: home };
  const { detent, model } = await scripted(script, {
    workspace,
    env,
    tools: { define: [look, act, free] },
    ...options,
    skills: { bundled: false, ...options.skills },
  });
  const say = (prompt: string, request: RunRequest = {}) => detent.run(prompt, request).result;
  const library = openSkills({ env, skills: { bundled: false } }, workspace);
  return { detent, model, say, workspace, approve: (name: string) => library.approve(name) };
}

const toolsOf = (request: ModelRequest | undefined) => request?.tools.map(({ name }) => name) ?? [];
const listOf = (request: ModelRequest | undefined) =>
  JSON.stringify(request?.tools.find(({ name }) => name === 'skill')?.parameters).replaceAll('\\n', '\n');
const textsOf = (request: ModelRequest | undefined) => request?.messages.map(({ text }) => text) ?? [];

const tea = { 'tea/SKILL.md': skillFile('tea', '', '# Tea\n\nBoil water for $ARGUMENTS.\n') };

describe('a prompt of /name', () => {
  it('has the text of the skill, with the words as they are, and the run follows it', async () => {
    const { say, model } = await setting({ skills: tea, script: [end] });
    const view = await say('/tea two $& cups');
    const [text] = textsOf(model.requests[0]).slice(-1);
    expect(text).toMatch(/^\/tea two \$& cups\n\n\[Skill tea, chosen by the user/);
    expect(text).toContain('Boil water for two $& cups.');
    expect(view.skills?.followed).toMatchObject([
      { name: 'tea', by: 'prompt', from: 'project', isTrusted: false },
    ]);
  });

  it('is ranked by the words of the person, not by those of the skill', async () => {
    const wordy = skillFile('tea', '', 'Mind the cake, the cake and the cake.\n');
    const { say } = await setting({
      skills: { 'tea/SKILL.md': wordy, 'cake/SKILL.md': skillFile('cake') },
      script: [end],
    });
    const view = await say('/tea for two');
    expect(view.skills?.scores.map(({ name }) => name)).toEqual(['tea']);
  });

  it('stays in the conversation, and binds no later run', async () => {
    const { say, model } = await setting({
      skills: { 'tea/SKILL.md': skillFile('tea', 'allowed-tools: look\n') },
      script: [end, end],
    });
    await say('/tea', { sessionId: 's' });
    const later = await say('and now?', { sessionId: 's' });
    expect(textsOf(model.requests[1]).join()).toContain('[Skill tea');
    expect(toolsOf(model.requests[1])).toContain('act');
    expect(later.skills?.followed ?? []).toEqual([]);
  });

  it('that there is not is words like others', async () => {
    const { say, model } = await setting({ skills: tea, script: [end, end] });
    await say('/coffee please');
    await say('/etc/hosts has what?');
    expect(textsOf(model.requests[0]).at(-1)).toBe('/coffee please');
    expect(textsOf(model.requests[1]).at(-1)).toBe('/etc/hosts has what?');
  });

  it('is for skills that the agent may use', async () => {
    const { say, model } = await setting({
      skills: tea,
      script: [end, end],
      options: { agents: { poet: { skills: [] } } },
    });
    await say('/tea', { agent: 'poet' });
    await say('/tea', { skills: ['cof*'] });
    for (const request of model.requests) expect(textsOf(request).at(-1)).toBe('/tea');
  });

  it('steers a run at work with its words alone', async () => {
    const started = Promise.withResolvers<void>();
    const go = Promise.withResolvers<void>();
    const slow = tool('slow', {
      run: async () => {
        started.resolve();
        await go.promise;
        return 'ok';
      },
    });
    const { detent, model } = await setting({
      skills: tea,
      script: [call('slow'), end],
      options: { tools: { define: [slow] } },
    });
    const run = detent.run('begin', { sessionId: 's' });
    await started.promise;
    const steered = detent.run('/tea now', { sessionId: 's', mode: 'steer' });
    expect(await steered.started).toBe(await run.started);
    go.resolve();
    await run.result;
    expect(textsOf(model.requests[1]).at(-1)).toBe('/tea now');
  });
});

describe('what a model is shown of skills', () => {
  it('is each of a few, with name and description, in the tool that loads them', async () => {
    const { say, model } = await setting({
      skills: { ...tea, 'hidden/SKILL.md': skillFile('hidden', 'disable-model-invocation: true\n') },
      script: [end],
    });
    const view = await say('I want some tea');
    expect(listOf(model.requests[0])).toContain('\n- tea: Does tea.');
    expect(listOf(model.requests[0])).not.toContain('hidden');
    for (const { description } of model.requests[0]?.tools ?? [])
      expect(description.length).toBeLessThan(1_024);
    expect(view.skills).toEqual({
      offered: 1,
      mode: 'listed',
      scores: [{ name: 'tea', score: expect.any(Number) }],
      followed: [],
    });
  });

  it('is nothing where there are none, and no tool', async () => {
    const { say, model } = await setting({ skills: {}, script: [end, end] });
    const view = await say('hello');
    expect(toolsOf(model.requests[0])).not.toContain('skill');
    expect(view.skills).toBeUndefined();
    await say('hello', { tools: ['look'], skills: ['x'] });
    expect(toolsOf(model.requests[1])).toEqual(['look']);
  });

  it('is of many those that may fit, before the request, and the same through the run', async () => {
    const many = Array.from({ length: 60 }, (_, i) => [
      `thing-${i}/SKILL.md`,
      `---\nname: thing-${i}\ndescription: Handles matter number ${i} and nothing else.\n---\nx`,
    ]);
    const teapot = '---\nname: teapot\ndescription: Brews green tea in a pot.\n---\nx';
    const { say, model } = await setting({
      skills: { ...Object.fromEntries(many), 'teapot/SKILL.md': teapot },
      script: [call('look'), end, end],
    });
    const view = await say('brew some green tea', { sessionId: 's' });
    expect(listOf(model.requests[0])).toContain('thing-1, thing-10, thing-11');
    expect(listOf(model.requests[0])).not.toContain('Handles matter');
    for (const request of model.requests.slice(0, 2)) {
      const [, candidates, asked] = textsOf(request);
      expect(candidates).toMatch(/^\[Skills that may fit[^\n]*\]\n- teapot: Brews green tea in a pot\.$/);
      expect(asked).toBe('brew some green tea');
    }
    expect(view.skills).toMatchObject({ offered: 61, mode: 'ranked', scores: [{ name: 'teapot' }] });
    await say('sing a song', { sessionId: 's' });
    expect(textsOf(model.requests[2]).join()).not.toContain('[Skills that may fit');
  });

  it('stands in the log with the scores, with the first fact of the run alone', async () => {
    const { say, detent } = await setting({ skills: tea, script: [call('look'), end] });
    const { runId } = await say('tea, please');
    const events = await detent.runs.events(runId);
    const told = events.filter(({ event }) => 'skills' in event);
    expect(told.map(({ event }) => event.type)).toEqual(['model.done']);
    expect(told[0]?.event.skills).toMatchObject({ of: 1, mode: 'listed', scores: [{ name: 'tea' }] });
  });
});

describe('a skill that a model loads', () => {
  const narrow = { 'tea/SKILL.md': skillFile('tea', 'allowed-tools: look Bash(git:*)\n') };

  it('is read, and leaves the run the tools that it names', async () => {
    const { say, model, detent } = await setting({
      skills: narrow,
      script: [load('tea'), call('free'), end],
    });
    const view = await say('tea');
    expect(textsOf(model.requests[1]).at(-1)).toMatch(/^\[Skill tea, follow it/);
    expect(toolsOf(model.requests[0])).toContain('free');
    expect(toolsOf(model.requests[1]).filter((name) => !name.startsWith('shell'))).toEqual(['look', 'skill']);
    const [, second] = view.steps;
    expect(second?.toolCalls[0]).toMatchObject({
      name: 'free',
      code: 'TOOL_NOT_ALLOWED',
      status: 'rejected',
    });
    expect(view.skills?.followed).toMatchObject([
      {
        name: 'tea',
        by: 'call',
        call: 'c2',
        allowed: ['look', 'shell (git:*)', 'shell_output', 'shell_kill'],
      },
    ]);
    const why = await detent.runs.why(view.runId);
    expect(why.details.join('\n')).toContain('skill tea (loaded by c2; score ');
  });

  it('binds from the answer after: its own had not seen it', async () => {
    const { say } = await setting({
      skills: narrow,
      script: [{ toolCalls: [{ name: 'skill', arguments: { name: 'tea' } }, { name: 'free' }] }, end],
    });
    const view = await say('tea');
    expect(view.steps[0]?.toolCalls.map(({ status }) => status)).toEqual(['done', 'done']);
  });

  it('keeps to the words of its patterns', async () => {
    const { say } = await setting({
      skills: narrow,
      script: [
        load('tea'),
        call('shell', { command: 'git status; id' }),
        call('shell', { command: 'git status' }),
        end,
      ],
      options: { sandbox: 'none' },
    });
    const view = await say('tea', { approve: 'none' });
    const [refused, asked] = view.steps.slice(1).map(({ toolCalls }) => toolCalls[0]);
    expect(refused).toMatchObject({
      code: 'TOOL_NOT_ALLOWED',
      result: expect.stringContaining('it allows git:*'),
    });
    expect(asked).toMatchObject({ code: 'REJECTED_BY_POLICY' });
  });

  it('gives its files, and no others', async () => {
    const { say } = await setting({
      skills: {
        'tea/SKILL.md': skillFile('tea'),
        'tea/references/kinds.md': 'green',
        'other/SKILL.md': skillFile('other'),
      },
      script: [
        load('tea'),
        load('tea', { file: 'references/kinds.md' }),
        load('tea', { file: '../other/SKILL.md' }),
        load('nothing'),
        end,
      ],
    });
    const { steps } = await say('tea');
    const calls = steps.flatMap(({ toolCalls }) => toolCalls);
    expect(calls[0]?.result).toContain('references/kinds.md');
    expect(calls[1]?.result).toBe('green');
    expect(calls[2]).toMatchObject({ code: 'PATH_OUTSIDE_SKILL' });
    expect(calls[3]).toMatchObject({ code: 'UNKNOWN_SKILL', result: expect.stringContaining('other, tea') });
  });

  it('is bound by the rules that it had when it was loaded, whatever becomes of its file', async () => {
    const { say, workspace } = await setting({
      skills: narrow,
      script: [
        load('tea'),
        async () => {
          await writeFiles(workspace, { '.claude/skills/tea/SKILL.md': skillFile('tea') });
          return call('look') as object;
        },
        call('free'),
        end,
      ],
    });
    const view = await say('tea');
    expect(view.steps[2]?.toolCalls[0]?.code).toBe('TOOL_NOT_ALLOWED');
  });

  it('binds by all of its versions, and with others by all of them', async () => {
    const { say, model } = await setting({
      skills: { ...narrow, 'cake/SKILL.md': skillFile('cake', 'allowed-tools: look free\n') },
      script: [load('tea'), load('cake'), end],
    });
    await say('tea and cake');
    expect(toolsOf(model.requests[2])).toEqual(['look', 'skill']);
  });

  it('binds on when a compaction has taken its text out of the conversation', async () => {
    const model = talkative({
      answer: (n) => {
        if (n === 1) return load('tea') as object;
        // Answers are not shortened, as results would be.
        if (n <= 12) return { text: words(3_000, n), toolCalls: [{ name: 'look' }] };
        return n === 13 ? (call('free') as object) : { text: 'end' };
      },
    });
    const workspace = await temporaryWorkspace();
    await writeFiles(workspace, { 'skills/tea/SKILL.md': skillFile('tea', 'allowed-tools: look\n') });
    const detent = withModel(model, {
      workspace,
      skills: { bundled: false },
      tools: { define: [look, free] },
    });
    const view = await detent.run('tea', { model: 'test/moonshot-v1-8k' }).result;
    expect(model.requests.some(isSummary)).toBe(true);
    const last = model.requests.filter(isPrompt).at(-1);
    expect(textsOf(last).join()).not.toContain('[Skill tea');
    expect(toolsOf(last)).toEqual(['look', 'skill']);
    expect(view.steps.at(-2)?.toolCalls[0]).toMatchObject({ name: 'free', code: 'TOOL_NOT_ALLOWED' });
  });

  it('is untrusted text where the configuration says so of its file', async () => {
    const { say } = await setting({
      skills: tea,
      script: [load('tea'), call('free'), end],
      options: { policy: { untrusted: ['.claude/skills/**'] } },
    });
    expect((await say('tea')).pending[0]?.why).toContain('taint: skill (c2) brought untrusted text');
  });

  it('leaves no tool when its list is empty', async () => {
    const { say, model } = await setting({
      skills: { 'tea/SKILL.md': skillFile('tea', 'allowed-tools: []\n') },
      script: [load('tea'), end],
    });
    await say('tea');
    expect(toolsOf(model.requests[1])).toEqual([]);
  });

  it('binds the runs that the run starts, which it gives no rights', async () => {
    const { say, model, approve } = await setting({
      skills: { 'tea/SKILL.md': skillFile('tea', 'allowed-tools: act task\nconfirm-before: []\n') },
      script: [load('tea'), call('task', { prompt: 'help' }), call('act'), end, end],
    });
    await approve('tea');
    const run = await say('tea', { approve: 'none' });
    expect(toolsOf(model.requests[2])).toEqual(['act', 'skill', 'task']);
    const asked = model.requests[3]?.messages.at(-1);
    expect(asked).toMatchObject({ text: expect.stringContaining('approval') });
    expect(run.status).toBe('done');
  });
});

describe('what a skill says of asking', () => {
  const relaxing = { 'tea/SKILL.md': skillFile('tea', 'allowed-tools: act free\nconfirm-before: []\n') };

  it('spares a person no question while it is not trusted', async () => {
    const { say } = await setting({ skills: relaxing, script: [call('act'), end] });
    const view = await say('/tea');
    expect(view.pending).toMatchObject([{ name: 'act', why: 'tool default: act asks' }]);
  });

  it('spares a person what it allows itself, when it is trusted', async () => {
    const { say, approve } = await setting({ skills: relaxing, script: [call('act'), end] });
    await approve('tea');
    const view = await say('/tea');
    expect(view).toMatchObject({ status: 'done', skills: { followed: [{ isTrusted: true }] } });
    expect(view.steps[0]?.toolCalls[0]?.why).toBe('trusted skill: tea, over tool default: act asks');
  });

  it('is trusted no more when a file of it has changed meanwhile', async () => {
    const { say, approve, workspace } = await setting({
      skills: relaxing,
      script: [
        async () => {
          await writeFiles(workspace, { '.claude/skills/tea/scripts/x.sh': 'evil' });
          return call('act') as object;
        },
        end,
      ],
    });
    await approve('tea');
    expect((await say('/tea')).pending).toMatchObject([{ name: 'act' }]);
  });

  it('is heard of any skill when it has calls asked about', async () => {
    const { say } = await setting({
      skills: { 'tea/SKILL.md': skillFile('tea', 'confirm-before: free\n') },
      script: [call('free'), end],
    });
    expect((await say('/tea')).pending).toMatchObject([
      { name: 'free', why: 'confirm-before of skill tea, over tool default: free does not ask' },
    ]);
  });

  it('counts less than untrusted text, and than what the run was told', async () => {
    const mail = tool('mail', { untrusted: true });
    const skills = { 'tea/SKILL.md': skillFile('tea', 'allowed-tools: act mail\nconfirm-before: []\n') };
    const options = { tools: { define: [mail, act] } };
    const tainted = await setting({ skills, options, script: [call('mail'), call('act'), end] });
    await tainted.approve('tea');
    expect((await tainted.say('/tea')).pending[0]?.why).toContain('taint: mail');
    const asking = await setting({
      skills: { 'tea/SKILL.md': skillFile('tea', 'confirm-before: free\n') },
      script: [call('free'), end],
    });
    expect((await asking.say('/tea', { approve: 'all' })).status).toBe('done');
  });
});

describe('a run that another process goes on with', () => {
  it('follows what it followed, though the skill is gone', async () => {
    const workspace = await temporaryWorkspace();
    await writeFiles(workspace, { 'skills/tea/SKILL.md': skillFile('tea', 'allowed-tools: look act\n') });
    const file = { database: { file: join(workspace, 'x.db') }, workspace, skills: { bundled: false } };
    const define = [look, act, free];
    const first = await scripted([load('tea'), call('act')], {
      ...file,
      store: undefined as never,
      tools: { define },
    });
    const { runId, status } = await first.detent.run('tea', { sessionId: 's' }).result;
    expect(status).toBe('waiting');
    await first.detent.close();
    await rm(join(workspace, 'skills'), { recursive: true });
    const second = await scripted([end], { ...file, store: undefined as never, tools: { define } });
    await second.detent.runs.resume({ runId });
    await second.detent.runs.confirm(runId, 'c4', { verdict: 'approve' });
    const view = await second.detent.runs.attach(runId).result;
    expect(view.status).toBe('done');
    expect(toolsOf(second.model.requests[0])).toEqual(['act', 'look']);
  });
});
