import { describe, expect, it } from 'vitest';
import { answering, at, by, hasTerminals, mockProvider, newWorkspace, screen } from '../../support/cli.ts';
import { textOf } from '../../support/mock-provider.ts';
import { describeWith } from '../../support/needs.ts';
import { oddServer } from '../../tools/mcp/support.ts';

const colours = ['red', 'blue', 'green'];
const ask = (more: object = {}) => ({
  calls: [{ name: 'ask_user', arguments: { question: 'Which colour?', options: colours, ...more } }],
});
const task = { calls: [{ name: 'task', arguments: { prompt: 'child' } }] };

describe.concurrent('a question without a person', () => {
  it('parks the run, which says how to answer; another process answers, a third resumes the run', async () => {
    const workspace = await newWorkspace();
    const provider = await answering(ask(), { text: 'Painted.' });
    const parked = await workspace.detent(['run', 'paint', ...by(provider)]);
    expect(parked.code).toBe(5);
    const { runId } = await workspace.lookAtOne();
    expect(parked.stderr).toContain(`detent runs confirm ${runId} c2 --answer TEXT`);
    const shown = await workspace.detent(['runs', 'show', runId]);
    expect(shown.stdout).toMatch(/asks +question c2 ask_user[\s\S]*Which colour\?\n +1\. red\n +2\. blue/);

    const wrong = await workspace.detent(['runs', 'confirm', runId, 'c2', '--answer', 'pink']);
    expect([wrong.code, wrong.stderr]).toEqual([2, expect.stringContaining('"red", "blue", "green"')]);
    const right = await workspace.detent(['runs', 'confirm', runId, 'c2', '--answer', 'blue']);
    expect(right).toMatchObject({ code: 0, stdout: 'decided: answer\n' });
    const late = await workspace.detent(['runs', 'confirm', runId, 'c2', '--answer', 'red']);
    expect(late).toMatchObject({ code: 1, stdout: 'already decided: answer\n' });

    const resumed = await workspace.detent(['runs', 'resume', runId, ...at(provider)]);
    expect(resumed).toMatchObject({ code: 0, stdout: 'Painted.\n' });
    const told = provider.requests[1]?.body.messages.filter(({ role }) => role === 'tool').map(textOf);
    expect(told).toEqual(['blue']);
  });
});

describe.concurrent('a task on the command line', () => {
  it('that asks a person parks both runs; the decision is for the task alone, and resuming is for the parent', async () => {
    const workspace = await newWorkspace();
    const provider = await mockProvider({
      turns: [
        { when: 'child', answers: [ask(), { text: 'Blue it is.' }] },
        { answers: [task, { text: 'All painted.' }] },
      ],
    });
    const parked = await workspace.detent(['run', 'parent', ...by(provider)]);
    expect(parked.code).toBe(5);
    const { view: runs } = await workspace.json<{ runId: string; status: string }[]>(['runs', 'list']);
    expect(runs.map(({ status }) => status)).toEqual(['waiting', 'waiting']);
    const [child = '', parent = ''] = runs.map(({ runId }) => runId);
    expect(parked.stderr).toContain(`detent runs confirm ${child} c2 --answer`);
    expect(parked.stderr).toContain(`detent runs resume ${parent}`);
    expect((await workspace.detent(['runs', 'show', child])).stdout).toContain(`task of  ${parent} c2`);
    expect((await workspace.detent(['runs', 'show', parent])).stdout).toContain(`run ${child}: waiting`);
    const why = await workspace.detent(['runs', 'why', parent]);
    expect(why.stdout).toContain(`detent runs confirm ${child} c2 --answer`);

    const decided = await workspace.detent(['runs', 'confirm', child, 'c2', '--answer', 'blue']);
    expect(decided.stderr).toContain(`detent runs resume ${parent}`);
    const resumed = await workspace.detent(['runs', 'resume', parent, ...at(provider)]);
    expect(resumed).toMatchObject({ code: 0, stdout: 'All painted.\n' });
    expect((await workspace.look(child)).text).toBe('Blue it is.');
  });

  it('whose process is killed continues in the next one, with the same run', async () => {
    const workspace = await newWorkspace();
    const provider = await mockProvider({
      turns: [
        { when: 'child', answers: [[{ text: 'half', ending: 'hang' }, { text: 'Found.' }]] },
        { answers: [task, { text: 'The end.' }] },
      ],
    });
    const live = workspace.start(['run', 'parent', ...by(provider)]);
    await provider.arrived(2);
    live.kill('SIGKILL');
    await live.ended;
    await workspace.write(
      'detent.config.json',
      JSON.stringify({ models: { mock: { baseUrl: provider.baseUrl } } }),
    );
    const { view } = await workspace.json<{ runId: string; text: string }[]>(['runs', 'resume', '--all']);
    expect(view.map(({ text }) => text).sort()).toEqual(['Found.', 'The end.']);
    const { view: runs } = await workspace.json<unknown[]>(['runs', 'list']);
    expect(runs).toHaveLength(2);
  });
});

describeWith(hasTerminals, 'the program /usr/bin/script is missing').concurrent(
  'a question on a terminal',
  () => {
    it('is answered in place, with the number of an option, also from within a task', async () => {
      const workspace = await newWorkspace();
      const provider = await mockProvider({
        turns: [
          { when: 'child', answers: [ask({ multiple: true }), { text: 'ok' }] },
          { answers: [ask(), task, { text: 'Painted.' }] },
        ],
      });
      const live = workspace.onTerminal(['run', 'parent', ...by(provider)]);
      const seen = await live.saw('stdout', /your choice \(.*\): $/);
      expect(screen(seen)).toContain('2. blue');
      live.write('7\r');
      await live.saw('stdout', /not one of the options[\s\S]*your choice \(.*\): $/);
      live.write('2\r');
      await live.saw('stdout', /your choices.*: $/);
      live.write('1, green\r');
      expect((await live.ended).code).toBe(0);
      const told = provider.requests.flatMap(({ body }) =>
        body.messages.filter(({ role }) => role === 'tool').map(textOf),
      );
      expect([...new Set(told)]).toEqual(['blue', '["red","green"]', 'ok']);
    });
  },
);

describe.concurrent('a question that a server of tools asks', () => {
  it('is a form on the command line, and the log says what was asked and answered', async () => {
    const workspace = await newWorkspace();
    const odd = await oddServer({ tools: [{ name: 'ask' }] });
    await workspace.write('detent.config.json', JSON.stringify({ mcp: { servers: { odd: odd.config } } }));
    const properties = { name: { type: 'string', title: 'Full name' }, age: { type: 'integer' } };
    const call = { calls: [{ name: 'mcp__odd__ask', arguments: { properties } }] };
    const provider = await answering(call, { text: 'Welcome.' });
    const parked = await workspace.detent(['run', 'hello', '--approve', 'all', ...by(provider)]);
    expect(parked.code).toBe(5);
    const { runId } = await workspace.lookAtOne();
    const shown = await workspace.detent(['runs', 'show', runId]);
    expect(shown.stdout).toMatch(
      /MCP server "odd" asks: Your name\?\n +- name: Full name \(text; may be left out\)\n +- age \(a whole number; may be left out\)/,
    );
    const answer = (text: string) => workspace.detent(['runs', 'confirm', runId, 'c2', '--answer', text]);
    expect(await answer('{"age": "old"}')).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('"age" is a number'),
    });
    expect(await answer('{"name": "Kim", "age": 3}')).toMatchObject({ code: 0, stdout: 'decided: answer\n' });
    const { stdout } = await workspace.detent(['runs', 'events', runId]);
    expect(stdout).toMatch(/tool\.asked +awaitingConfirm .*c2 asks: MCP server "odd" asks: Your name\?/);
    expect(stdout).toMatch(/confirm\.decide .*c2 answer: \{"name":"Kim","age":3\}/);
    // Its process is gone, and the call with it: whether it has done something is not known.
    const resumed = await workspace.detent(['runs', 'resume', runId, ...at(provider)]);
    expect([resumed.code, resumed.stderr]).toEqual([5, expect.stringContaining('reconcile')]);
  });
});
