import { describe, expect, it, onTestFinished } from 'vitest';
import { openLink } from '../../../src/cli/port/gateway-link.ts';
import { gatewayHandle } from '../../../src/cli/port/gateway-run.ts';
import { serve } from '../../gateway/support.ts';
import type { CliOptions } from '../../support/cli.ts';
import { someOf } from '../../support/deep.ts';
import { scripted } from '../../support/detent.ts';
import { alike, servedWorkspace } from './support.ts';

describe('a command with --server', () => {
  const reading: [string, (runs: string[]) => string[]][] = [
    ['runs list', () => ['runs', 'list']],
    ['runs list by status', () => ['runs', 'list', '--status', 'waiting', '--session', 'tea']],
    ['runs show', ([run = '']) => ['runs', 'show', run]],
    ['runs show last', () => ['runs', 'show', 'last']],
    ['runs events', ([run = '']) => ['runs', 'events', run]],
    ['runs why', ([run = '']) => ['runs', 'why', run]],
    ['runs diff', ([a = '', b = '']) => ['runs', 'diff', a, b]],
    ['runs show of none', () => ['runs', 'show', 'run_none']],
    ['sessions list', () => ['sessions', 'list']],
    ['sessions show', () => ['sessions', 'show', 'tea']],
    ['sessions show of none', () => ['sessions', 'show', 'none']],
    ['sessions search', () => ['sessions', 'search', 'milk']],
    ['sessions grants', () => ['sessions', 'grants', 'tea']],
    ['skills list', () => ['skills', 'list']],
    ['memory search', () => ['memory', 'search', 'umbrella']],
    ['memory get', () => ['memory', 'get', 'MEMORY.md']],
    ['memory get of none', () => ['memory', 'get', 'memory/none.md']],
  ];

  it('prints what it prints on the database itself', async () => {
    const { workspace, remote } = await servedWorkspace({ 'MEMORY.md': '# Home\n\nThe umbrella is red.\n' });
    const first = await workspace.json(['run', 'What is 17 * 23?']);
    const second = await workspace.json(['run', 'write "milk" to shop.txt', '--session', 'tea']);
    const runs = [first.view.runId, second.view.runId];
    for (const [name, args] of someOf(reading, 6))
      for (const form of [[], ['--json']]) {
        const words = [...args(runs), ...form];
        const [here, there] = [await workspace.detent(words), await remote(words)];
        expect([name, { ...there, stdout: alike(there.stdout), stderr: alike(there.stderr) }]).toEqual([
          name,
          { ...here, stdout: alike(here.stdout), stderr: alike(here.stderr) },
        ]);
      }
  });

  it.each(
    someOf<[string, string[], CliOptions]>(
      [
        ['run', ['run', 'What is 17 * 23?'], {}],
        ['run --json', ['run', 'What is 17 * 23?', '--json'], {}],
        ['run --jsonl', ['run', 'What is 17 * 23?', '--jsonl'], {}],
        ['run that parks', ['run', 'write "milk" to shop.txt', '--session', 'new'], {}],
        ['run in a session', ['run', 'What is 2 + 3?', '--session', 'tea'], {}],
        ['run --continue', ['run', 'What is 2 + 3?', '--continue', '--quiet'], {}],
        ['run with a file', ['run', 'hello', '--json'], { input: 'some text' }],
        ['runs fork', ['runs', 'fork', 'FIRST', '--at', '0', '--json'], {}],
        ['runs cancel of an ended run', ['runs', 'cancel', 'FIRST'], {}],
        ['runs resume of an ended run', ['runs', 'resume', 'FIRST'], {}],
        ['runs follow', ['runs', 'follow', 'FIRST', '--jsonl'], {}],
        [
          'chat',
          ['chat', '--session', 'talk'],
          { input: 'What is 6 * 7?\n/tools\n/skills\n/nonsense\n/quit\n' },
        ],
        ['sessions clear', ['sessions', 'clear', 'tea', '--json'], {}],
        ['sessions delete', ['sessions', 'delete', 'tea', '--yes', '--json'], {}],
        ['no prompt', ['run', '  '], {}],
        ['an unknown agent', ['run', 'hi', '--agent', 'nobody'], {}],
      ],
      6,
    ),
  )('does what it does on the database itself: %s', async (_, args, options) => {
    const perform = async (isRemote: boolean) => {
      const { workspace, remote } = await servedWorkspace();
      const first = await workspace.json(['run', 'What is 1 + 1?', '--session', 'tea']);
      const words = args.map((word) => (word === 'FIRST' ? first.view.runId : word));
      const ended = await (isRemote ? remote(words, options) : workspace.detent(words, options));
      return { ...ended, stdout: alike(ended.stdout), stderr: alike(ended.stderr) };
    };
    expect(await perform(true)).toEqual(await perform(false));
  });

  it('decides on a call, and the gateway goes on with the run', async () => {
    const { workspace, remote, url } = await servedWorkspace();
    const parked = await remote(['run', 'write "milk" to shop.txt']);
    expect(parked.code).toBe(5);
    const [, run = '', call = ''] =
      /confirm --server \S+ (run_\w+) (c\d+) --approve/.exec(parked.stderr) ?? [];
    expect(parked.stderr).toContain(`runs resume --server ${url} ${run}`);
    const confirmed = await remote(['runs', 'confirm', run, call, '--approve', '--resume']);
    expect(confirmed).toMatchObject({ code: 0, stdout: 'Done: created shop.txt (4 bytes)\n' });
    expect(await workspace.look(run)).toMatchObject({ status: 'done' });
  });

  it('rejects and changes arguments, and cancels', async () => {
    const { remote } = await servedWorkspace();
    const park = async () => {
      const { stdout } = await remote(['run', 'write "milk" to shop.txt', '--json']);
      const { runId, pending } = JSON.parse(stdout);
      return [runId, pending[0].callId] as [string, string];
    };
    const [rejected, one] = await park();
    const reject = ['runs', 'confirm', rejected, one, '--reject', '--reason', 'no', '--json'];
    expect(JSON.parse((await remote(reject)).stdout)).toMatchObject({ applied: true, verdict: 'reject' });
    const [changed, two] = await park();
    const modify = ['runs', 'confirm', changed, two, '--modify', '{"path":"b.txt","content":"x"}', '--json'];
    expect(JSON.parse((await remote(modify)).stdout)).toMatchObject({ applied: true, verdict: 'modify' });
    const [cancelled] = await park();
    const cancel = await remote(['runs', 'cancel', cancelled]);
    expect(cancel).toMatchObject({ code: 0, stdout: 'cancelled\n' });
  });

  it.each(
    someOf<[string[], Record<string, string>, number, string]>(
      [
        [['runs', 'list', '--server', 'ftp://x'], {}, 2, 'such as http://127.0.0.1:7420'],
        [['runs', 'list', '--server', 'http://me:secret@127.0.0.1:1'], {}, 2, 'takes no password'],
        [['runs', 'list', '--server', 'http://127.0.0.1:1'], {}, 3, 'DETENT_TOKEN has no token'],
        [['runs', 'list', '--server', 'http://127.0.0.1:1'], { DETENT_TOKEN: 'x' }, 1, 'no gateway answers'],
        [['runs', 'list', '--server', 'URL'], { DETENT_TOKEN: 'x' }, 3, 'a valid token is needed'],
        [['runs', 'list', '--token-env', 'T'], {}, 2, '--token-env goes with --server'],
        [['runs', 'list', '--server', 'URL', '--token-env', 'tok_x.y'], {}, 2, 'the name of a variable'],
        [['runs', 'list', '--server', 'URL', '--db', 'x'], {}, 2, '--server and --db exclude'],
        [['run', 'x', '--server', 'URL', '--base-url', 'http://x'], {}, 2, '--server and --base-url exclude'],
        [
          ['backup', 'x.db', '--server', 'URL'],
          {},
          2,
          '"detent backup" works only in the folder of the gateway',
        ],
        [['config', 'show', '--server', 'URL'], {}, 2, '"detent config show" works only in the folder'],
        [
          ['runs', 'resume', '--all', '--server', 'URL'],
          { DETENT_TOKEN: 'x' },
          2,
          'resumes all runs by itself',
        ],
      ],
      6,
    ),
  )('is refused clearly: %j', async (args, env, code, words) => {
    const { workspace, url } = await servedWorkspace();
    const named = args.map((word) => (word === 'URL' ? url : word));
    const ended = await workspace.detent(named, { env });
    expect(ended).toMatchObject({ code, stdout: '', stderr: expect.stringContaining(words) });
    expect(ended.stderr).not.toContain('tok_x.y');
  });

  it('reads the token from the variable that it names, and hints name it again', async () => {
    const { workspace, url, token } = await servedWorkspace();
    const args = ['run', 'write "a" to a.txt', '--server', url, '--token-env', 'OTHER'];
    const { code, stderr } = await workspace.detent(args, { env: { OTHER: await token() } });
    expect({ code, stderr }).toEqual({
      code: 5,
      stderr: expect.stringContaining(`runs resume --server ${url} --token-env OTHER run_`),
    });
  });

  it('may do what its token allows', async () => {
    const { workspace, url, token } = await servedWorkspace();
    const env = { DETENT_TOKEN: await token({ scopes: ['read'] }) };
    const { code, stderr } = await workspace.detent(['run', 'hi', '--server', url], { env });
    expect({ code, stderr }).toEqual({ code: 3, stderr: expect.stringContaining('scope write') });
  });
});

describe('a gateway that goes away in the middle of a run', () => {
  it('leaves a hint how to follow the run, which goes on', async () => {
    const { detent } = await scripted([{ text: 'slow', delayMs: 60_000 }] as never);
    const { url, token, gateway, server } = await serve(detent);
    const place = { url, token: await token(), flags: `--server ${url}` };
    const said: string[] = [];
    const link = openLink(place, ({ message }) => said.push(message), 50);
    onTestFinished(() => link.close());
    const started = link.request('agent.run', { prompt: 'go' });
    const handle = gatewayHandle(
      link,
      place.flags,
      started.then(({ runId }) => runId),
    );
    const result = handle.result;
    result.catch(() => {});
    const runId = await handle.started;
    await gateway.close();
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
    await expect(result).rejects.toMatchObject({
      code: 'SERVER_GONE',
      message: expect.stringContaining(`detent runs follow ${runId}`),
    });
    expect(said).toEqual([expect.stringContaining('lost the connection')]);
  });
});
