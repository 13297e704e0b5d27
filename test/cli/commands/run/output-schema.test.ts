import { describe, expect, it } from 'vitest';
import { exit } from '../../../../src/cli/terminal/exit-codes.ts';
import { answering, by, newWorkspace } from '../../../support/cli.ts';
import { textOf } from '../../../support/mock-provider.ts';

const schema = { type: 'object', properties: { total: { type: 'number' } }, required: ['total'] };
const files = { 'total.json': JSON.stringify(schema) };
const asked = ['run', 'sum up', '--output-schema', 'total.json'];

describe.concurrent('--output-schema', () => {
  it('prints the JSON of the answer, and nothing else', async () => {
    const workspace = await newWorkspace(files);
    const provider = await answering({ text: ['Here: ```', 'json?\n', '{"total": ', '3}'] });
    const { code, stdout } = await workspace.detent([...asked, ...by(provider)]);
    expect([code, stdout]).toEqual([exit.ok, '{"total":3}\n']);
  });

  it('says on stderr that an answer is asked for again, and shows the errors to the model', async () => {
    const workspace = await newWorkspace(files);
    const provider = await answering({ text: '{"total":"3"}' }, { text: '{"total":3}' });
    const { stdout, stderr } = await workspace.detent([...asked, ...by(provider)]);
    expect(stdout).toBe('{"total":3}\n');
    expect(stderr).toContain('· the answer does not fit the output schema; asking again with the errors\n');
    expect(textOf(provider.requests[1]?.body.messages.at(-1))).toContain('- total: ');
  });

  it('prints nothing and exits with 1 when no answer fits; --json has the whole run', async () => {
    const workspace = await newWorkspace(files);
    const provider = await answering(
      { text: 'three' },
      { text: 'four' },
      { text: '5' },
      { text: '{"total":5}' },
    );
    const failed = await workspace.detent([...asked, ...by(provider)]);
    expect([failed.code, failed.stdout]).toEqual([exit.failed, '']);
    expect(failed.stderr).toContain('detent: invalid_output: ');
    const { view } = await workspace.json([...asked, ...by(provider)]);
    expect(view).toMatchObject({ outcome: 'completed', output: { total: 5 } });
    const shown = await workspace.detent(['runs', 'show', view.runId]);
    expect(shown.stdout).toMatch(/does not fit the output schema:\n {2}- .*\n/);
  });

  it('is not needed for an agent with a schema', async () => {
    const agents = { sums: { output: schema } };
    const workspace = await newWorkspace({ 'detent.config.json': JSON.stringify({ agents }) });
    const provider = await answering({ text: '```json\n{"total":3}\n```' });
    const { stdout } = await workspace.detent(['run', 'sum up', '--agent', 'sums', ...by(provider)]);
    expect(stdout).toBe('{"total":3}\n');
  });

  it.each([
    ['a missing file', 'nope.json', undefined, /cannot be read: ENOENT/],
    ['a folder', '.', undefined, /cannot be read: EISDIR/],
    ['no JSON', 'x.json', '{', /is not JSON: /],
    ['a list', 'x.json', '[]', /is not a JSON Schema/],
    ['a sample', 'x.json', '{"total":3}', /restricts nothing/],
    ['a large file', 'x.json', ' '.repeat(1_100_000), /1048576 is the maximum/],
    [
      'a large schema',
      'x.json',
      JSON.stringify({ ...schema, title: 'x'.repeat(66_000) }),
      /65536 is the maximum/,
    ],
  ])('is refused before anything is done: %s', async (_, file, content, message) => {
    const workspace = await newWorkspace(content === undefined ? {} : { [file]: content });
    const { code, stderr } = await workspace.detent(['run', 'sum up', '--output-schema', file]);
    expect([code, stderr]).toEqual([exit.usage, expect.stringMatching(message)]);
  });
});
