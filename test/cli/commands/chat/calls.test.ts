import { existsSync, readdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { describe, expect, it } from 'vitest';
import { describeUsage } from '../../../../src/cli/commands/chat/perform-command.ts';
import { editorOf, editText } from '../../../../src/cli/drive/edit-json.ts';
import { showCall } from '../../../../src/cli/drive/show-call.ts';
import { plainText } from '../../../../src/cli/terminal/styled.ts';
import type { PendingView } from '../../../../src/index.ts';
import { noTokens } from '../../../../src/protocol/content.ts';

function call(name: string, given: unknown): PendingView {
  return { kind: 'confirm', callId: 'c2', name, arguments: given, argumentsHash: 'h', why: 'it asks' };
}

function shown(name: string, given: unknown, isWhole = false): string[] {
  return plainText(showCall(call(name, given), isWhole).text).split('\n');
}

describe('a call that waits for a decision', () => {
  it('is shown with its arguments, one a line', () => {
    expect(shown('order', { fruit: 'apple', amount: 2 })).toEqual([
      'order (it asks)',
      '  {',
      '    "fruit": "apple",',
      '    "amount": 2',
      '  }',
    ]);
  });

  it('of write_file is shown as the file that it makes', () => {
    expect(shown('write_file', { path: 'a.txt', content: 'milk\neggs\n' })).toEqual([
      'write_file a.txt: the whole file, 10 bytes (it asks)',
      '  + milk',
      '  + eggs',
    ]);
    expect(shown('write_file', { path: 'a.txt', content: 'x' })[0]).toContain('the whole file, 1 byte (');
  });

  it('is shown as its preview, and as a whole with what it was made from', () => {
    const preview = '--- a.txt\n+++ a.txt\n@@ -1,2 +1,2 @@\n milk\n--- salt\n+eggs';
    const edit = { path: 'a.txt', old_text: '-- salt', new_text: 'eggs' };
    const pending = { ...call('edit_file', edit), preview };
    const linesOf = (isWhole: boolean) => plainText(showCall(pending, isWhole).text).split('\n');
    const diff = [
      'edit_file a.txt: one place (it asks)',
      '  @@ -1,2 +1,2 @@',
      '    milk',
      '  - -- salt',
      '  + eggs',
    ];
    expect(linesOf(false)).toEqual(diff);
    expect(showCall(pending).isCut).toBe(false);
    expect(linesOf(true)).toEqual([...diff, '  ', '  - -- salt', '  + eggs']);
    const long = {
      ...pending,
      preview: `${preview}\n[… 9 more lines; the arguments of the call have all of it]`,
    };
    expect(showCall(long).isCut).toBe(true);
  });

  it('of shell is shown as a command, with all that is said of it', () => {
    expect(shown('shell', { command: 'npm test' })).toEqual(['shell (it asks)', '  $ npm test']);
    const given = { command: 'for i in 1 2; do\n  echo $i\ndone', background: true, timeoutMs: 5000 };
    expect(shown('shell', given)).toEqual([
      'shell in the background, at most 5000 ms (it asks)',
      '  $ for i in 1 2; do',
      '  >   echo $i',
      '  > done',
    ]);
  });

  it('of edit_file is shown as what goes and what comes', () => {
    const edit = { path: 'a.txt', old_text: 'milk', new_text: 'milk\nbread' };
    expect(shown('edit_file', edit)).toEqual([
      'edit_file a.txt: one place (it asks)',
      '  - milk',
      '  + milk',
      '  + bread',
    ]);
    expect(shown('edit_file', { ...edit, replace_all: true })[0]).toContain('every place');
  });

  it.each([
    ['write_file', { path: 'a.txt', content: 'x', mode: '777' }],
    ['write_file', { path: 'a.txt' }],
    ['write_file', { path: 'a.txt', content: 7 }],
    ['edit_file', { path: 'a.txt', old_text: 'x', new_text: 'y', replace_all: 'yes' }],
    ['shell', { command: 'ls', cwd: '/etc' }],
    ['shell', { command: 'ls', background: 'yes' }],
    ['write_file', null],
    ['write_file', 'no JSON at all'],
  ])('of %s with other arguments than it has (%j) shows all that is there', (name, given) => {
    const text = shown(name, given).join('\n');
    for (const value of Object.values(typeof given === 'object' && given ? given : { given }))
      expect(text).toContain(String(value));
    expect(text.startsWith(`${name} (it asks)`)).toBe(true);
  });

  it('cannot steer the terminal', () => {
    for (const name of ['write_file', 'order']) {
      const text = plainText(
        showCall(call(name, { path: '\u001b[2J\u202e', content: 'a\u001b[1;1H\rb' })).text,
      );
      expect(text).not.toMatch(/[\p{Cc}\u202e](?<!\n)/u);
      expect(text).toContain('\\u001b[2J');
      expect(text).toContain('\\u202e');
    }
  });

  it('is cut when it is long, says so, and can be shown whole', () => {
    const content = Array.from({ length: 60 }, (_, i) => `line ${i}`).join('\n');
    const given = { path: 'a.txt', content };
    expect(showCall(call('write_file', given)).isCut).toBe(true);
    expect(shown('write_file', given)).toContain('  … 20 more lines');
    expect(shown('write_file', given)).not.toContain('  + line 40');
    expect(shown('write_file', given, true)).toContain('  + line 59');
    expect(showCall(call('write_file', given), true).isCut).toBe(false);
  });

  it('has its long lines cut, too', () => {
    const given = { path: 'a.txt', content: `${'x'.repeat(1000)}rm -rf` };
    expect(shown('write_file', given)[1]).toMatch(/x… 608 more characters$/);
    expect(shown('write_file', given, true)[1]).toMatch(/rm -rf$/);
  });
});

describe('an editor', () => {
  it('is what VISUAL names, else EDITOR', () => {
    expect(editorOf({ VISUAL: 'code -w', EDITOR: 'vi' })).toBe('code -w');
    expect(editorOf({ VISUAL: '', EDITOR: 'vi' })).toBe('vi');
    expect(editorOf({})).toBeNull();
  });

  it('changes a text in a file that is gone afterwards', async () => {
    const before = readdirSync(tmpdir()).filter((name) => name.startsWith('detent-edit-'));
    const changed = await editText('sed -i -e s/milk/bread/ -e "s/$/!/"', '{"text":"milk"}');
    expect(changed).toBe('{"text":"bread"}!');
    const after = readdirSync(tmpdir()).filter((name) => name.startsWith('detent-edit-'));
    expect(after.filter((name) => !before.includes(name) && existsSync(name))).toEqual([]);
  });

  it.each([
    ['false', /ended with 1/],
    ['no-such-editor-at-all 2>/dev/null', /ended with 127/],
    ['kill -9 $$ #', /ended by SIGKILL/],
  ])('that fails (%s) changes nothing', async (editor, message) => {
    await expect(editText(editor, '{}')).rejects.toMatchObject({
      code: 'EDITOR_FAILED',
      message: expect.stringMatching(message),
    });
  });
});

describe('the usage of a session', () => {
  const tokens = { ...noTokens, inputTokens: 12_345, outputTokens: 67, costUsd: null };

  it.each([
    [
      { runs: 1, modelCalls: 2, tokens, unpriced: 2 },
      ['1 run, 2 model answers', '12,345 in, 67 out', 'unknown'],
    ],
    [
      {
        runs: 2,
        modelCalls: 3,
        tokens: { ...tokens, cachedInputTokens: 5, reasoningTokens: 6, costUsd: 0.5 },
        unpriced: 0,
      },
      ['2 runs', '12,345 in (5 cached), 67 out (6 reasoning)', '$0.5000'],
    ],
    [
      { runs: 2, modelCalls: 3, tokens: { ...tokens, costUsd: 0.5 }, unpriced: 1 },
      ['$0.5000, and 1 call without a known price'],
    ],
  ])('is shown as text: %j', (usage, words) => {
    const told = describeUsage('mine', usage);
    for (const word of words) expect(told).toContain(word);
  });
});
