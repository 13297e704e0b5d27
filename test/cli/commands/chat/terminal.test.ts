import { readFileSync, statSync } from 'node:fs';
import { expect, it, vi } from 'vitest';
import {
  answering,
  by,
  hasTerminals,
  type Live,
  newWorkspace,
  screen,
  type Workspace,
} from '../../../support/cli.ts';
import { itDeep } from '../../../support/deep.ts';
import type { MockAnswer } from '../../../support/mock-answer.ts';
import { type MockProvider, textOf } from '../../../support/mock-provider.ts';
import { describeWith } from '../../../support/needs.ts';
import { toolsConfig } from '../../../support/tools-config.ts';
import { VirtualTerminal } from '../../../support/vt.ts';

const [ctrlC, ctrlD, ctrlU, up] = ['\u0003', '\u0004', '\u0015', '\u001b[A'];
const pasted = (text: string) => `\u001b[200~${text}\u001b[201~`;
const note = { calls: [{ name: 'note', arguments: { text: 'milk' } }] };
const question = /\[a\]pprove, for this \[s\]ession, \[r\]eject, \[e\]dit, \[l\]ater\? $/;
const withTools = () => newWorkspace({ 'detent.config.ts': toolsConfig });

/** An answer that comes slowly enough to type meanwhile, and ends when the client goes. */
const endless: MockAnswer = { text: ['The quick ', 'brown fox '], pieceMs: 50, ending: 'hang' };

/** A chat whose prompt has come. */
async function chat(
  workspace: Workspace,
  provider: MockProvider,
  args: readonly string[] = [],
  options: Parameters<Workspace['onTerminal']>[1] = {},
): Promise<Live> {
  const live = workspace.onTerminal(['chat', ...by(provider), ...args], options);
  await live.saw('stdout', /^> $/m);
  return live;
}

async function leave(live: Live) {
  live.write(ctrlD);
  return live.ended;
}

/** The process of the command itself, which `script` has started. */
function commandOf({ pid }: Live): number {
  return Number(readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim());
}

const lastSaid = ({ requests }: MockProvider) => requests.map(({ body }) => textOf(body.messages.at(-1)));

describeWith(hasTerminals, 'the program /usr/bin/script is missing').concurrent('chat on a terminal', () => {
  it('greets, answers, leaves for Ctrl-D, and says how to come back, as a shell reads it', async () => {
    const workspace = await newWorkspace();
    const provider = await answering({ text: 'Hello.' });
    const live = await chat(workspace, provider, ['--session', "mum's list"]);
    live.write('hi\r');
    await live.saw('stdout', /> hi\nHello\.\n> $/);
    const { code, stdout } = await leave(live);
    expect(code).toBe(0);
    expect(screen(stdout)).toContain("mock/model, session mum's list");
    expect(screen(stdout)).toMatch(/continue the conversation with: detent chat --session 'mum'\\''s list'$/);
    expect(stdout).toMatch(/\[36m> /);
  });

  itDeep('hears a line that is typed while an answer comes, and never tears it', async () => {
    const workspace = await newWorkspace();
    const text = Array.from({ length: 30 }, (_, i) => `word ${i} `);
    const provider = await answering({ text, pieceMs: 40 }, { text: 'Shorter.' });
    const live = await chat(workspace, provider);
    live.write('tell me\r');
    await live.saw('stdout', /word 2 /);
    for (const piece of ['be', ' more', ' brief']) {
      live.write(piece);
      await live.saw('stdout', new RegExp(`^» .*${piece.trim()}$`, 'm'));
    }
    live.write('\r');
    await live.saw('stdout', /Shorter\.\n> $/);
    const { stdout } = await leave(live);
    const shown = screen(stdout);
    expect(shown).toContain('» be more brief\n· sent to the run, which reads it before its next step\n');
    // Nothing of the answer is lost, wherever the line came between, and lines end between words.
    const words = shown.replace(/\n?» .*\n.*next step\n/, '');
    expect(words.replaceAll('\n', ' ')).toContain(text.join('').trimEnd());
    expect(lastSaid(provider)).toEqual(['tell me', 'be more brief']);
    expect((await workspace.lookAtOne()).status).toBe('done');
  });

  it('cancels the answer, not the chat, for Ctrl-C; at the prompt it asks once more', async () => {
    const workspace = await newWorkspace();
    const provider = await answering(endless, { text: 'whole' });
    const live = await chat(workspace, provider);
    live.write('first\r');
    await live.saw('stdout', /fox/);
    live.write(ctrlC);
    await live.saw('stdout', /was cancelled\n> $/);
    live.write('second\r');
    await live.saw('stdout', /whole\n> $/);
    live.write('half a thought');
    live.write(ctrlC);
    await live.saw('stdout', /thought\^C\n> $/);
    live.write(ctrlC);
    await live.saw('stdout', /Ctrl-C again.*\n> $/);
    live.write(ctrlC);
    expect((await live.ended).code).toBe(0);
    expect(provider.requests).toHaveLength(2);
  });

  itDeep('cancels durably, and leaves for the second Ctrl-C', async () => {
    const workspace = await newWorkspace();
    const provider = await answering(endless);
    const live = await chat(workspace, provider, [], { ownProcess: true });
    live.write('first\r');
    await live.saw('stdout', /fox/);
    live.write(ctrlC + ctrlC);
    expect((await live.ended).code).toBe(130);
    expect((await workspace.lookAtOne()).status).toBe('cancelled');
  });

  itDeep('keeps what is typed when the answer is cancelled', async () => {
    const workspace = await newWorkspace();
    const provider = await answering(endless, { text: 'ok' });
    const live = await chat(workspace, provider);
    live.write('first\r');
    await live.saw('stdout', /fox/);
    live.write(`and also${ctrlC}`);
    await live.saw('stdout', /was cancelled\n> and also$/);
    live.write(' this\r');
    await live.saw('stdout', /ok\n> $/);
    await leave(live);
    expect(lastSaid(provider)).toEqual(['first', 'and also this']);
  });

  it('leaves in the middle of an answer, which the next chat finishes', async () => {
    const workspace = await newWorkspace();
    const provider = await answering(endless, { text: 'All of it.' });
    const first = await chat(workspace, provider, ['--session', 's']);
    first.write('go\r');
    await first.saw('stdout', /fox/);
    const { code, stdout } = await leave(first);
    expect(code).toBe(0);
    expect(stdout).toContain('detent chat --session s');
    const second = workspace.onTerminal(['chat', '--session', 's', ...by(provider)]);
    await second.saw('stdout', /All of it\.\n> $/);
    await leave(second);
  });

  it('asks in place, with the keys going to the question alone', async () => {
    const workspace = await withTools();
    const provider = await answering(note, { text: 'Written.' }, { text: 'Bye.' });
    const live = await chat(workspace, provider);
    live.write('note milk\r');
    await live.saw('stdout', question);
    live.write('a\r');
    await live.saw('stdout', /Written\.\n> $/);
    live.write('thanks\r');
    await live.saw('stdout', /Bye\.\n> $/);
    expect((await leave(live)).code).toBe(0);
    expect(provider.requests).toHaveLength(3);
  });

  itDeep('takes the question back that another process decides meanwhile, and answers', async () => {
    const workspace = await withTools();
    const provider = await answering(note, { text: 'Written.' });
    const live = await chat(workspace, provider);
    live.write('go\r');
    await live.saw('stdout', question);
    expect((await workspace.detent(['runs', 'confirm', 'last', 'c2', '--approve'])).code).toBe(0);
    await live.saw('stdout', /Written\.\n[^[]*> $/);
    await leave(live);
    expect(readFileSync(workspace.path('calls.log'), 'utf8')).toBe('note milk\n');
  });

  it('takes the reason of a rejection, even when it was typed ahead', async () => {
    const workspace = await withTools();
    const provider = await answering(note, { text: 'As you like.' });
    const live = await chat(workspace, provider);
    live.write('note milk\r');
    await live.saw('stdout', question);
    live.write('r\rwe have some\r');
    await live.saw('stdout', /As you like\.\n> $/);
    await leave(live);
    expect(JSON.stringify(provider.requests[1]?.body)).toContain('we have some');
    const [step] = (await workspace.lookAtOne()).steps;
    expect(step?.toolCalls[0]?.decision).toBe('reject');
  });

  it('lets arguments be changed on the line', async () => {
    const workspace = await withTools();
    const provider = await answering(note, { text: 'Written.' });
    const live = await chat(workspace, provider);
    live.write('note milk\r');
    await live.saw('stdout', question);
    live.write('e\r');
    await live.saw('stdout', /new arguments \(JSON\): \{"text":"milk"\}$/);
    live.write(`${ctrlU}{"text":"bread"}\r`);
    await live.saw('stdout', /Written\.\n> $/);
    await leave(live);
    expect(readFileSync(workspace.path('calls.log'), 'utf8')).toBe('note bread\n');
  });

  itDeep(
    'lets arguments be changed in the editor of the person, and asks again when nothing was',
    async () => {
      const workspace = await withTools();
      const provider = await answering(note, { text: 'Written.' });
      const EDITOR = 'edit() { test -e tried && sed -i s/milk/eggs/ "$1"; touch tried; }; edit';
      const live = await chat(workspace, provider, [], { env: { EDITOR } });
      live.write('note milk\r');
      await live.saw('stdout', question);
      live.write('e\r');
      await live.saw('stdout', new RegExp(`\nnothing was changed\n${question.source}`));
      live.write('e\r');
      await live.saw('stdout', /Written\.\n> $/);
      await leave(live);
      expect(readFileSync(workspace.path('calls.log'), 'utf8')).toBe('note eggs\n');
    },
  );

  itDeep('after "later" asks again for Enter, and takes a message as the answer', async () => {
    const workspace = await withTools();
    const provider = await answering(note, { text: ['As ', 'you ', 'like.'] });
    const live = await chat(workspace, provider);
    live.write('note milk\r');
    await live.saw('stdout', question);
    live.write('l\r');
    await live.saw('stdout', /put off.*\n> $/);
    live.write('\r');
    await live.saw('stdout', new RegExp(`put off.*${question.source}`, 's'));
    live.write('l\r');
    await live.saw('stdout', /put off.*put off.*\n> $/s);
    live.write('rather not\r');
    const stdout = await live.saw('stdout', /like\.\n> $/);
    expect(screen(stdout)).toContain('\nAs you like.\n');
    await leave(live);
    expect((await workspace.lookAtOne()).steps[0]?.toolCalls[0]?.decision).toBe('withdrawn');
  });

  it('answers pasted lines one after the other when the terminal does not mark them', async () => {
    const workspace = await newWorkspace();
    const provider = await answering({ text: '1.' }, { text: '2.' }, { text: '3.' });
    const live = await chat(workspace, provider);
    live.write('one\rtwo\r');
    await live.saw('stdout', /2\.\n> $/);
    live.write(`${up}${up}\r`);
    await live.saw('stdout', /3\.\n> $/);
    await leave(live);
    expect(lastSaid(provider)).toEqual(['one', 'two', 'one']);
  });

  it('takes a marked paste, and lines that end in a backslash, as one message', async () => {
    const workspace = await newWorkspace();
    const provider = await answering({ text: '1.' }, { text: '2.' });
    const live = await chat(workspace, provider);
    live.write(`${pasted('def f():\r\treturn 1\r')}ok?\r`);
    await live.saw('stdout', /ok\?\n1\.\n> $/);
    live.write('one\\\r');
    await live.saw('stdout', /^… $/m);
    live.write('two\r');
    await live.saw('stdout', /2\.\n> $/);
    await leave(live);
    expect(lastSaid(provider)).toEqual(['def f():\n\treturn 1\nok?', 'one\ntwo']);
  });

  it('remembers over restarts what was typed, without secrets, for its owner alone', async () => {
    const workspace = await newWorkspace();
    const provider = await answering({ text: '1.' }, { text: '2.' });
    const env = { SHOP_TOKEN: 'tok-12345678' };
    const first = await chat(workspace, provider, [], { env });
    first.write('use tok-12345678\r');
    await first.saw('stdout', /1\.\n> $/);
    await leave(first);
    const file = workspace.path('.detent/chat-history');
    expect(readFileSync(file, 'utf8')).toBe('"use [redacted:SHOP_TOKEN]"\n');
    expect(statSync(file).mode & 0o777).toBe(0o600);
    const second = await chat(workspace, provider, [], { env });
    second.write(`${up}\r`);
    await second.saw('stdout', /2\.\n> $/);
    await leave(second);
  });

  it('knows commands: a model is checked at once, and used from the next message on', async () => {
    const workspace = await newWorkspace();
    const provider = await answering({ text: 'one' });
    const live = await chat(workspace, provider, ['--session', 's']);
    const asks = async (command: string, reply: RegExp) => {
      live.write(`${command}\r`);
      await live.saw('stdout', new RegExp(`> ${command}\n.*${reply.source}.*\n> $`, 's'));
    };
    await asks('/hlep', /did you mean \/help\?/);
    await asks('/help', /\/usage +tokens and cost/);
    await asks('/why', /has no runs yet/);
    await asks('/model', /the model is mock\/model/);
    await asks('/model nonsense', /is not a model name/);
    await asks('/model other/one', /from the next message on: other\/one/);
    live.write('hi\r');
    await live.saw('stdout', /> hi\none\n> $/);
    expect(provider.requests[0]?.body.model).toBe('one');
    await asks('/why', /is done.*What to do next/);
    await asks('/usage', /1 run, 1 model answer\ntokens {3}10 in, 5 out/);
    await asks('/session', /the session is s/);
    await asks('/session new', /the session is now chat_/);
    await asks('/session', /\n {2}s {2}\(1 run\)/);
    live.write('/quit\r');
    expect((await live.ended).code).toBe(0);
  });

  itDeep('sends what begins with two slashes, and refuses a change of session under way', async () => {
    const workspace = await newWorkspace();
    const provider = await answering({ text: 'Sure.' }, endless);
    const live = await chat(workspace, provider);
    live.write('//help\r');
    await live.saw('stdout', /Sure\.\n> $/);
    live.write('go\r');
    await live.saw('stdout', /fox/);
    live.write('/session new\r');
    await live.saw('stdout', /wait for it/);
    live.write('/cancel\r');
    await live.saw('stdout', /was cancelled\n> $/);
    await leave(live);
    expect(lastSaid(provider)[0]).toBe('/help');
  });

  itDeep('is the same on a terminal of 20 columns, with wide characters', async () => {
    const workspace = await withTools();
    const text = [...'终端很窄，每个字占两列，这一行要换好几次。'];
    const provider = await answering({ text, pieceMs: 20 }, note, { text: 'Done.' });
    const live = await chat(workspace, provider, [], { size: { columns: 20, rows: 10 } });
    live.write('请你说一个很长的句子给我听\r');
    const answered = await live.saw('stdout', /好几次\n?。\n> $/);
    const rows = new VirtualTerminal(20, 10).write(answered).rows.join('');
    expect(rows).toContain(`> 请你说一个很长的句子给我听${text.join('')}> `);
    live.write('note milk\r');
    await live.saw('stdout', /\[a\]pprove, for this \[s\]ession, \[r\]eject, \[e\]dit, \[l\]ater\?\n\? $/);
    live.write('a\r');
    await live.saw('stdout', /\? a\n.*Done\.\n> $/s);
    await leave(live);
  });

  it('renders Markdown, once, whatever is typed while it comes', async () => {
    const workspace = await newWorkspace();
    const text = [
      '# Plan\n\n',
      'Some **bold',
      '** words\n',
      '\n- one\n',
      '  - two\n\n',
      '```\nlet x\n\n',
      'y\n```',
    ];
    const provider = await answering({ text, pieceMs: 40 });
    const live = await chat(workspace, provider);
    live.write('go\r');
    await live.saw('stdout', /bold/);
    live.write('typed');
    await live.saw('stdout', /let x\n\n {4}y\n> typed$/);
    live.write(ctrlU);
    const { stdout } = await leave(live);
    const shown = 'Plan\n\nSome bold words\n\n• one\n  • two\n\n    let x\n\n    y\n';
    expect(screen(stdout)).toContain(`> go\n${shown}`);
    expect(stdout).toMatch(/\[1mPlan/);
  });

  it('withdraws the words of an answer that broke off, with what was not complete of it', async () => {
    const workspace = await newWorkspace();
    const provider = await answering(
      { text: ['# First\n\n', '**half** of'], pieceMs: 40, ending: 'drop' },
      { text: '**whole**' },
    );
    const live = await chat(workspace, provider);
    live.write('go\r');
    await live.saw('stdout', /whole\n> $/);
    const { stdout } = await leave(live);
    expect(screen(stdout)).toMatch(/First\n\nhalf of\n· the answer broke off.*withdrawn\n(?:·.*\n)*whole\n/);
  });

  it.each([
    ['--no-markdown', ['--no-markdown', '--no-color'], {}],
    ['NO_COLOR', [], { NO_COLOR: '1' }],
  ] as const)('shows Markdown as it is, and has no colours, with %s', async (_, args, env) => {
    const workspace = await newWorkspace();
    const provider = await answering({ text: '# A **b**\n\n- c' });
    const live = await chat(workspace, provider, args, { env });
    live.write('hi\r');
    await live.saw('stdout', /# A \*\*b\*\*\n\n- c\n> $/);
    expect((await leave(live)).stdout).not.toMatch(/\[[\d;]+m/);
  });

  itDeep(
    'moves no cursor on a dumb terminal, shows Markdown as it is, and asks, cancels and leaves there, too',
    async () => {
      const workspace = await withTools();
      const provider = await answering(note, { text: '# Written **b**' }, endless);
      const live = await chat(workspace, provider, [], { env: { TERM: 'dumb' } });
      live.write('note milk\r');
      await live.saw('stdout', question);
      live.write('a\r');
      await live.saw('stdout', /# Written \*\*b\*\*\n> $/);
      live.write('go\r');
      await live.saw('stdout', /fox/);
      live.write(ctrlC);
      await live.saw('stdout', /was cancelled\n> $/);
      live.write('/model\r');
      await live.saw('stdout', /the model is.*\n> $/);
      live.write(ctrlC);
      await live.saw('stdout', /Ctrl-C again.*\n> $/);
      const { code, stdout } = await leave(live);
      expect(code).toBe(0);
      expect(stdout).not.toContain('\u001b[');
      expect(screen(stdout)).toMatch(/^> note milk\n\nnote /m);
    },
  );

  itDeep('leaves a dumb terminal by Ctrl-D at a question, which stays open', async () => {
    const workspace = await withTools();
    const live = await chat(workspace, await answering(note), [], { env: { TERM: 'dumb' } });
    live.write('note milk\r');
    await live.saw('stdout', question);
    live.write(ctrlD);
    const { code, stdout } = await live.ended;
    expect([code, screen(stdout)]).toEqual([0, expect.stringMatching(/is not finished: resume it with/)]);
    expect((await workspace.lookAtOne()).status).toBe('waiting');
  });

  it.each(['Ctrl-D', 'SIGTERM'])('gives the terminal back as it was for %s', async (end) => {
    const workspace = await newWorkspace();
    const provider = await answering(endless);
    const live = await chat(workspace, provider, [], { ownProcess: true });
    live.write('go\r');
    await live.saw('stdout', /fox/);
    if (end === 'Ctrl-D') live.write(ctrlD);
    else process.kill(commandOf(live), 'SIGTERM');
    const { stdout } = await live.ended;
    expect(stdout.lastIndexOf('[?2004l')).toBeGreaterThan(stdout.lastIndexOf('[?2004h'));
    expect((await workspace.lookAtOne()).status).toBe('interrupted');
  });

  it('writes answers where stdout goes, and all else on the terminal', async () => {
    const workspace = await newWorkspace();
    const provider = await answering({ text: 'Hello.' });
    const live = await chat(workspace, provider, [], { into: 'answers.txt' });
    live.write('hi\r');
    const answers = () => readFileSync(workspace.path('answers.txt'), 'utf8');
    await vi.waitFor(() => expect(answers()).toBe('Hello.\n'), { timeout: 30_000, interval: 100 });
    expect(screen((await leave(live)).stdout)).not.toContain('Hello.');
  });
});

// Alone, because it types against a clock.
describeWith(hasTerminals, 'the program /usr/bin/script is missing')('a question on a terminal', () => {
  it('waits until a line is finished that was begun before it', async () => {
    const workspace = await withTools();
    const provider = await answering({ ...note, delayMs: 600 }, { text: 'I see.' });
    const live = await chat(workspace, provider);
    live.write('note milk\r');
    await live.saw('stdout', /^» $/m);
    live.write('approve');
    const typing = setInterval(() => live.write('!'), 50);
    await live.saw('stdout', /"text": "milk"/);
    clearInterval(typing);
    live.write(' not\r');
    await live.saw('stdout', /I see\.\n> $/);
    await leave(live);
    const { steps } = await workspace.lookAtOne();
    expect(steps[0]?.toolCalls[0]?.decision).toBe('withdrawn');
    expect(lastSaid(provider).at(-1)).toMatch(/^approve!+ not$/);
  });

  it('is withdrawn with all others of its answer by a message', async () => {
    const workspace = await withTools();
    const calls = ['one', 'two'].map((text) => ({ name: 'note', arguments: { text } }));
    const provider = await answering({ calls, delayMs: 600 }, { text: 'I see.' });
    const live = await chat(workspace, provider);
    live.write('note both\r');
    await live.saw('stdout', /^» $/m);
    live.write('rather');
    const typing = setInterval(() => live.write('!'), 50);
    await live.saw('stdout', /"text": "one"/);
    clearInterval(typing);
    live.write(' not\r');
    const stdout = await live.saw('stdout', /I see\.\n> $/);
    expect(screen(stdout)).not.toContain('"text": "two"');
    await leave(live);
  });

  it('comes after a pause, and gives the line back afterwards', async () => {
    const workspace = await withTools();
    const provider = await answering({ ...note, delayMs: 600 }, { text: 'Written.' }, { text: 'Bye.' });
    const live = await chat(workspace, provider);
    live.write('note milk\r');
    await live.saw('stdout', /^» $/m);
    live.write('thank you');
    await live.saw('stdout', question);
    live.write('a\r');
    await live.saw('stdout', /Written\.\n> thank you$/);
    live.write('\r');
    await live.saw('stdout', /Bye\.\n> $/);
    await leave(live);
    expect(lastSaid(provider).at(-1)).toBe('thank you');
  });
});
