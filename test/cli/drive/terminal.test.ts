import { existsSync, readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { answering, at, by, hasTerminals, newWorkspace, screen } from '../../support/cli.ts';
import { itDeep } from '../../support/deep.ts';
import { describeWith } from '../../support/needs.ts';
import { toolsConfig } from '../../support/tools-config.ts';

const [ctrlC, ctrlD, ctrlU, left] = ['\u0003', '\u0004', '\u0015', '\u001b[D'];
const note = { calls: [{ name: 'note', arguments: { text: 'milk' } }] };
const question = /\[a\]pprove, for this \[s\]ession, \[r\]eject, \[e\]dit, \[l\]ater\? $/;
const prefilled = /new arguments \(JSON\): \{"text":"milk"\}$/;
const withTools = () => newWorkspace({ 'detent.config.ts': toolsConfig });

describeWith(hasTerminals, 'the program /usr/bin/script is missing').concurrent('run on a terminal', () => {
  itDeep('takes the question back that another process decides meanwhile, and continues', async () => {
    const workspace = await withTools();
    const provider = await answering(note, { text: 'Written.' });
    const live = workspace.onTerminal(['run', 'go', ...by(provider)]);
    await live.saw('stdout', question);
    expect((await workspace.detent(['runs', 'confirm', 'last', 'c2', '--approve'])).code).toBe(0);
    const { code, stdout } = await live.ended;
    expect(code).toBe(0);
    expect(screen(stdout)).toContain('\nWritten.\n');
    expect(readFileSync(workspace.path('calls.log'), 'utf8')).toBe('note milk\n');
  });

  it('asks about each of several calls', async () => {
    const workspace = await withTools();
    const calls = ['one', 'two'].map((text) => ({ name: 'note', arguments: { text } }));
    const provider = await answering({ calls }, { text: 'ok' });
    const live = workspace.onTerminal(['run', 'go', ...by(provider)]);
    await live.saw('stdout', question);
    live.write('reject\r');
    await live.saw('stdout', /why/);
    live.write('not that one\r');
    await live.saw('stdout', new RegExp(`"two".*${question.source}`, 's'));
    live.write('y\r');
    expect((await live.ended).code).toBe(0);
    expect(readFileSync(workspace.path('calls.log'), 'utf8')).toBe('note two\n');
    expect(JSON.stringify(provider.requests[1]?.body)).toContain('not that one');
  });

  itDeep('asks again after an answer that is none, and after new arguments that do not fit', async () => {
    const workspace = await withTools();
    const provider = await answering(note, { text: 'ok' });
    const live = workspace.onTerminal(['run', 'go', ...by(provider)]);
    await live.saw('stdout', question);
    for (const [answer, arguments_, complaint] of [
      ['e', '{"text":7}', /Invalid|expected string/],
      ['m', '{not json', /not JSON/],
    ] as const) {
      live.write(`${answer}\r`);
      await live.saw('stdout', prefilled);
      live.write(`${ctrlU}${arguments_}\r`);
      await live.saw('stdout', new RegExp(`(${complaint.source}).*${question.source}`, 's'));
    }
    for (const [typed, told] of [
      ['what?', 'type a, s, r, e or l, then Enter; Ctrl-D leaves the question for later'],
      ['好的', '请输入 a、s、r、e 或 l，再按 Enter；按 Ctrl-D 留到以后再答'],
    ] as const) {
      live.write(`${typed}\r`);
      await live.saw('stdout', new RegExp(`${told}\\n${question.source}`));
    }
    live.write('ｅ\r');
    await live.saw('stdout', prefilled);
    live.write(`${ctrlU}${ctrlC}`);
    await live.saw('stdout', new RegExp(`JSON\\): \\n${question.source}`));
    live.write('e\r');
    await live.saw('stdout', prefilled);
    // To before the milk.
    live.write(`${left.repeat(6)}oat \r`);
    expect((await live.ended).code).toBe(0);
    expect(readFileSync(workspace.path('calls.log'), 'utf8')).toBe('note oat milk\n');
  });

  it.each([
    ['l\r', 'later'],
    [ctrlD, 'Ctrl-D'],
  ])('parks the run for %j (%s), with 5', async (keys) => {
    const workspace = await withTools();
    const provider = await answering(note);
    const live = workspace.onTerminal(['run', 'go', ...by(provider)]);
    await live.saw('stdout', question);
    live.write(keys);
    const { code, stdout } = await live.ended;
    expect(code).toBe(5);
    expect(stdout).toContain('detent runs confirm');
    expect(screen(stdout)).toMatch(/or be asked here again, with: detent runs resume run_/);
    expect(existsSync(workspace.path('calls.log'))).toBe(false);
  });

  it('lists only the calls that are still undecided when it parks', async () => {
    const workspace = await withTools();
    const call = (text: string) => ({ name: 'note', arguments: { text } });
    const provider = await answering({ text: 'Both.', calls: [call('milk'), call('eggs')] });
    const live = workspace.onTerminal(['run', 'go', ...by(provider)]);
    await live.saw('stdout', question);
    live.write('a\r');
    await live.saw('stdout', new RegExp(`eggs.*${question.source}`, 's'));
    live.write('l\r');
    const { code, stdout } = await live.ended;
    const parting = screen(stdout).split('is parked')[1] ?? '';
    expect([code, parting.includes('eggs'), parting.includes('milk')]).toEqual([5, true, false]);
  });

  it('cancels the run for Ctrl-C at the question', async () => {
    const workspace = await withTools();
    const provider = await answering(note);
    const live = workspace.onTerminal(['run', 'go', ...by(provider)]);
    await live.saw('stdout', question);
    live.write(ctrlC);
    expect((await live.ended).code).toBe(130);
    expect((await workspace.lookAtOne()).status).toBe('cancelled');
  });

  itDeep('leaves Ctrl-C to the editor of the arguments', async () => {
    const workspace = await withTools();
    await workspace.write(
      'editor.mjs',
      "process.on('SIGINT', () => process.exit(1)); console.log('in the editor'); setInterval(() => {}, 1e3);",
    );
    const provider = await answering(note, { text: 'ok' });
    const env = { EDITOR: `${process.execPath} ${workspace.path('editor.mjs')}` };
    const live = workspace.onTerminal(['run', 'go', ...by(provider)], { env });
    await live.saw('stdout', question);
    live.write('e\r');
    await live.saw('stdout', /in the editor/);
    live.write(ctrlC);
    await live.saw('stdout', new RegExp(`nothing was changed\\n${question.source}`));
    live.write('a\r');
    expect((await live.ended).code).toBe(0);
  });

  it('cancels the run for Ctrl-C under way, and leaves a clean line', async () => {
    const workspace = await newWorkspace();
    const provider = await answering({ text: 'half', ending: 'hang' });
    const live = workspace.onTerminal(['run', 'go', ...by(provider)]);
    await live.saw('stdout', /half/);
    live.write(ctrlC);
    const { code, stdout } = await live.ended;
    expect(code).toBe(130);
    expect(screen(stdout)).toMatch(/^half(\^C)?\ndetent: cancelling/m);
  });

  it('shows a spinner while it waits, and nothing of it afterwards', async () => {
    const workspace = await newWorkspace();
    const provider = await answering({ text: 'Here.', delayMs: 400 });
    const live = workspace.onTerminal(['run', 'go', ...by(provider)]);
    await live.saw('stdout', /[⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏] thinking/);
    const { stdout } = await live.ended;
    expect(screen(stdout)).not.toMatch(/[⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏]/);
    expect(screen(stdout)).toMatch(/^Here\.\n· done/);
  });

  it.each([
    [{ NO_COLOR: '1' }, false],
    [{}, true],
  ] as const)('with %j has colour: %s', async (env, hasColour) => {
    const workspace = await newWorkspace();
    const provider = await answering({ calls: [{ name: 'datetime' }] }, { text: 'Late.' });
    const live = workspace.onTerminal(['run', 'go', ...by(provider)], { env });
    const { stdout } = await live.ended;
    expect(stdout).toContain('using datetime');
    expect(stdout.includes('\u001b[2m')).toBe(hasColour);
  });

  it('settles an interrupted call in place', async () => {
    const workspace = await withTools();
    const slow = { calls: [{ name: 'slow', arguments: { text: 'x' } }] };
    const provider = await answering(slow, { text: 'ok' });
    const killed = workspace.start(['run', 'go', ...by(provider)]);
    await killed.saw('stderr', /began to be slow/);
    killed.kill('SIGKILL');
    await killed.ended;
    const { runId } = await workspace.lookAtOne();
    const live = workspace.onTerminal(['runs', 'resume', runId, ...at(provider)]);
    await live.saw('stdout', /did it happen\?.*\? $/);
    live.write('r\r');
    await live.saw('stdout', /what was its result/);
    live.write('it slept well\r');
    expect((await live.ended).code).toBe(0);
    expect(JSON.stringify(provider.requests[1]?.body)).toContain('it slept well');
  });
});
