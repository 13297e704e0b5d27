import { describe, expect, it } from 'vitest';
import { answering, by, newWorkspace } from '../../../support/cli.ts';

const cut = { text: ['Once upon', ' a ti'], ending: 'drop' } as const;
const broken = () => ({ ...cut, text: [...cut.text] });
const line = '[the answer broke off: its words above are withdrawn]';

describe.concurrent('an answer that breaks off and is made again', () => {
  it('is taken back by one line, where its words are', async () => {
    const workspace = await newWorkspace();
    const provider = await answering(broken(), { text: 'The end.' });
    const { code, stdout, stderr } = await workspace.detent(['run', 'tell', ...by(provider)]);
    expect({ code, stdout }).toEqual({ code: 0, stdout: `Once upon a ti\n${line}\nThe end.\n` });
    expect(stderr).toMatch(/^· .*(?:broke off|before it was complete)\..* Retrying in \d\.\d s\.$/m);
  });

  it('is taken back on a terminal, too', async () => {
    const workspace = await newWorkspace();
    const provider = await answering(broken(), { text: 'The end.' });
    const { stdout } = await workspace.onTerminal(['run', 'tell', ...by(provider)]).ended;
    expect(stdout.replaceAll('\r', '')).toContain(`${line}\n`);
    expect(stdout).toContain('The end.');
  });

  it('leaves no word in a pipe with --quiet', async () => {
    const workspace = await newWorkspace();
    const provider = await answering(broken(), { text: 'The end.' });
    const { stdout, stderr } = await workspace.detent(['run', 'tell', '--quiet', ...by(provider)]);
    expect({ stdout, stderr }).toEqual({ stdout: 'The end.\n', stderr: '' });
  });

  it('is an event of its own in --jsonl, with its words marked as withdrawn', async () => {
    const workspace = await newWorkspace();
    const provider = await answering(broken(), { text: 'The end.' });
    const { stdout } = await workspace.detent(['run', 'tell', '--jsonl', ...by(provider)]);
    const events = stdout
      .trimEnd()
      .split('\n')
      .map((text) => JSON.parse(text));
    const failed = events.find(({ type }) => type === 'model.failed');
    expect(failed).toMatchObject({
      partial: true,
      messages: [{ role: 'withdrawn', text: 'Once upon a ti' }],
    });
  });

  it('is named by show and usage, with what it cost', async () => {
    const workspace = await newWorkspace();
    const provider = await answering(broken(), { text: 'The end.' });
    const { view } = await workspace.json(['run', 'tell', ...by(provider)]);
    const shown = (await workspace.detent(['runs', 'show', view.runId])).stdout;
    expect(shown).toMatch(
      /withdrew an answer of \S+ at seq 2, \d+ tokens in, \d+ out \(estimated\): .*(?:broke off|before it was complete)\./,
    );
    expect(shown).toContain('Once upon a ti');
    expect(shown).toMatch(/^tokens .* \(partly estimated\)$/m);
    expect((await workspace.detent(['usage'])).stdout).toContain(
      "1 call broke off: part of their tokens are Detent's estimate",
    );
  });
});
