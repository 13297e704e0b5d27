import { describe, expect, it } from 'vitest';
import { newWorkspace } from '../support/cli.ts';
import { itDeep, someOf } from '../support/deep.ts';
import { inSizes } from '../support/size.ts';

/** One command of every group, and what ends with another code than 0. */
const commandLines = [
  ['--version'],
  ['--help'],
  ['help', 'run'],
  ['runs', 'list'],
  ['runs', 'show', 'run_none'],
  ['sessions', 'list', '--json'],
  ['usage'],
  ['config', 'show'],
  ['models', 'list'],
  ['tools', 'list'],
  ['mcp', 'list'],
  ['skills', 'list'],
  ['memory', 'search', 'umbrella'],
  ['machine', 'show'],
  ['completion', 'no-such-shell'],
  ['chat', '--no-such-flag'],
  ['no-such-command'],
];

/** In a clone the program starts from its source; a script for a shell names the file it was started from. */
const fromSource = [['completion', 'bash'], ['no-such-command']];

/** Each so many commands one: they end with each code, and with a text, a list and JSON. */
const oneOf = inSizes({ usual: 6, deep: 1, full: 1 });

describe.concurrent('a process of the program', () => {
  it.each(commandLines.filter((_, nth) => nth % oneOf === 0).map((args) => [args.join(' '), args] as const))(
    'detent %s: prints and ends as the command does in the process of a test',
    async (_, args) => {
      const workspace = await newWorkspace();
      const inProcess = await workspace.detent(args);
      const own = await workspace.detent(args, { ownProcess: true });
      expect(own).toEqual(inProcess);
    },
  );

  it.each(someOf(fromSource, 1).map((args) => [args.join(' '), args] as const))(
    'detent %s: does so from source, too',
    async (_, args) => {
      const workspace = await newWorkspace();
      expect(await workspace.detent(args, { fromSource: true })).toEqual(await workspace.detent(args));
    },
  );

  itDeep('does its work from source', async () => {
    const workspace = await newWorkspace();
    const { code, stdout } = await workspace.detent(['run', 'What is 17 * 23?'], { fromSource: true });
    expect(code).toBe(0);
    expect(stdout).toContain('391');
  });

  it.each([
    [['run', '-'], 'What is 17 * 23?', '391'],
    [['init', 'here'], '', 'wrote'],
    [['doctor', '--offline'], '', 'SQLite'],
  ])('detent %j does its work', async (args, input, words) => {
    const workspace = await newWorkspace();
    const { code, stdout, stderr } = await workspace.detent(args, { ownProcess: true, input });
    expect({ code, stderr }).toMatchObject({ code: 0 });
    expect(stdout).toContain(words);
  });
});
