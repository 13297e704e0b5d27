import { execFile, spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { promisify } from 'node:util';
import fc from 'fast-check';
import { beforeAll, expect, it } from 'vitest';
import { noJdk } from '../../../scripts/build-java.ts';
import { runDeltaPayloads, runEventPayloads } from '../../../src/protocol/run-events.ts';
import { startExample } from '../../docs/example-server.ts';
import { temporaryWorkspace } from '../../support/detent.ts';
import { describeWith } from '../../support/needs.ts';
import { sized } from '../../support/size.ts';
import { type ClassFile, javaLibrary, readClass, unzip } from './class-file.ts';
import { type Built, builtJava, defaultPath, quickStart } from './support.ts';

/** What an app for Android 5.0 may use of Java: of these packages, what Java 7 has. */
const packages =
  /^java\/(lang|io|net|nio\/charset|util|util\/concurrent|util\/concurrent\/(atomic|locks))\/[^/]+$/;

/** JSON as parsers meet it: right, damaged, and at the edges. */
const edges = [
  ...[
    '',
    ' ',
    'nul',
    'true',
    ' false ',
    '[1,]',
    '[,1]',
    '{"a":1,}',
    '{a:1}',
    "{'a':1}",
    '{"a" 1}',
    '1 2',
    '[1 2]',
    '"a',
    '"\n"',
  ],
  ...[
    '"\\u12"',
    '"\\u00e9"',
    '"\\ud83d\\ude42"',
    '"\\ud800"',
    '"\\x"',
    '"\\u１234"',
    '01',
    '-',
    '-0',
    '1.',
    '.5',
    '1e',
    '1e5',
  ],
  ...[
    '1E+2',
    '1e400',
    '-1e400',
    '123456789012345678',
    '1234567890123456789012',
    '0.1',
    '5e-324',
    '1.7976931348623157e308',
  ],
  ...[
    '{"a":1,"a":2}',
    '{"__proto__":1}',
    '[[[]]]',
    '{"":{"":""}}',
    '\u00a01',
    '\ufeff1',
    '// a\n1',
    '[1]]',
    'NaN',
    '+1',
    '"\u2028"',
  ],
];

const texts = fc.oneof(
  fc.json({ stringUnit: 'binary' }),
  fc.tuple(fc.json(), fc.nat(), fc.string({ maxLength: 2 })).map(([text, at, more]) => {
    const place = at % (text.length + 1);
    return text.slice(0, place) + more + text.slice(place + 1);
  }),
);

/** Pieces of answers and events of a run as connections bring them: cut, and again from an earlier transition. */
interface Came {
  event: string;
  runId: string;
  seq?: number;
  index?: number;
  last?: boolean;
  payload: {
    effectId?: number;
    attempt?: number;
    offset?: number;
    content?: string;
    [field: string]: unknown;
  };
}

const answers = fc.array(fc.string({ unit: 'grapheme', minLength: 1, maxLength: 12 }), {
  minLength: 1,
  maxLength: 4,
});
const cuts = fc.array(fc.record({ at: fc.nat(60), back: fc.nat(20) }), { maxLength: 6 });

/** All that a run with these answers says, in order. */
function story(words: readonly string[]): Came[] {
  return words.flatMap((content, i) => {
    const effectId = 2 * i + 1;
    const half = Math.floor(content.length / 2);
    const delta = (offset: number, text: string, attempt = 1): Came => ({
      event: 'assistant.delta',
      runId: 'r',
      payload: { effectId, attempt, offset, content: text, contentType: 'text' },
    });
    return [
      { event: 'step.begin', runId: 'r', seq: effectId, index: 0, last: false, payload: { stepNo: i + 1 } },
      { event: 'state.changed', runId: 'r', seq: effectId, index: 1, last: true, payload: {} },
      delta(0, content.slice(0, half)),
      ...(i % 2 === 1 ? [{ event: 'assistant.reset', runId: 'r', payload: { effectId, attempt: 1 } }] : []),
      ...(i % 2 === 1 ? [delta(0, content.slice(0, half), 2)] : []),
      delta(half, content.slice(half), i % 2 === 1 ? 2 : 1),
      {
        event: 'assistant.message',
        runId: 'r',
        seq: effectId + 1,
        index: 0,
        last: false,
        payload: { effectId, content },
      },
      { event: 'usage', runId: 'r', seq: effectId + 1, index: 1, last: true, payload: {} },
    ];
  });
}

/** The same over connections that break: each begins again some way back, and may miss pieces. */
function broken(all: readonly Came[], breaks: readonly { at: number; back: number }[]): Came[] {
  const came: Came[] = [];
  let place = 0;
  for (const { at, back } of breaks) {
    came.push(...all.slice(place, at));
    place = Math.max(0, Math.min(at, all.length) - back);
    // A connection begins with whole transitions.
    while (place > 0 && !all[place - 1]?.last) place--;
    came.push(...all.slice(place, at).filter(({ seq }) => seq !== undefined));
    place = Math.min(at, all.length);
  }
  return [...came, ...all.slice(place)];
}

describeWith(noJdk === null, noJdk ?? '')('the Java client', () => {
  let built: Built;
  beforeAll(() => {
    built = builtJava();
  });

  /** One JVM for all cases. */
  function ask(cases: readonly object[]): unknown[] {
    const { stdout, stderr } = spawnSync(
      'java',
      [...quickStart, '-cp', defaultPath(), 'dev.detent.internal.UnitMain'],
      {
        input: cases.map((one) => `${JSON.stringify(one)}\n`).join(''),
        encoding: 'utf8',
        maxBuffer: 1e9,
      },
    );
    expect(stderr).toBe('');
    return stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
  }

  it('reads and writes JSON as JSON.parse does, keeps each event once and each answer whole, and keeps files', async () => {
    const numRuns = sized(200, 20_000);
    const vectors = [...edges, ...fc.sample(texts, numRuns), `${'['.repeat(256)}${']'.repeat(256)}`];
    const stories = fc.sample(fc.tuple(answers, cuts), sized(100, 5000)).map(([words, breaks]) => ({
      words,
      events: broken(story(words), breaks),
    }));
    const folder = await temporaryWorkspace();
    const names = [
      ...Object.keys(runEventPayloads),
      ...Object.keys(runDeltaPayloads),
      'message.from.the.future',
    ];
    const [json, deep, files, classes, ...orders] = ask([
      { do: 'json', texts: vectors },
      { do: 'json', texts: [`${'['.repeat(300)}${']'.repeat(300)}`, '['.repeat(1e6)] },
      { do: 'file', folder },
      { do: 'classes', events: names.map((event) => ({ event, payload: {} })) },
      ...stories.map(({ events }) => ({ do: 'order', after: 0, events })),
    ]);
    const own = (json as (string | null)[]).map((text) =>
      text === null ? null : JSON.stringify(JSON.parse(text)),
    );
    const right = vectors.map((text) => {
      try {
        return JSON.stringify(JSON.parse(text));
      } catch {
        return null;
      }
    });
    expect(own).toEqual(right);
    expect(deep).toEqual([null, null]);
    expect(files).toEqual([null, 'größe 🙂', '', null]);
    expect(classes).toContain('ToolRequest');
    expect((classes as string[]).at(-1)).toBe('WireMessage');
    for (const [i, { words, events }] of stories.entries()) {
      const got = orders[i] as Came[];
      const logged = got.filter(({ seq }) => seq !== undefined);
      expect(logged).toEqual(story(words).filter(({ seq }) => seq !== undefined));
      let shown = '';
      for (const { event, payload } of got)
        if (event === 'assistant.reset') shown = '';
        else if (event === 'assistant.delta') {
          expect([events, payload.offset]).toEqual([events, shown.length]);
          shown += payload.content;
        } else if (event === 'assistant.message') {
          expect(shown).toBe(payload.content);
          shown = '';
        }
    }
  });

  it('names nothing beyond Java 8 and Android 5.0, and is small', () => {
    const jar = readFileSync(built.jar);
    const own = [...unzip(jar)]
      .filter(([name]) => name.endsWith('.class'))
      .map(([, read]) => readClass(read()));
    const java7 = javaLibrary('7');
    const library = java7.size > 0;
    const memo = new Map<string, ClassFile | null>();
    const find = (name: string) => {
      const read = java7.get(name);
      if (!memo.has(name)) memo.set(name, read ? readClass(read()) : null);
      return memo.get(name) ?? null;
    };
    const has = (owner: string, member: string): boolean => {
      const found = find(owner.startsWith('[') ? 'java/lang/Object' : owner);
      return (
        found !== null && (found.members.has(member) || found.parents.some((parent) => has(parent, member)))
      );
    };
    const bare = (name: string) => name.replace(/^\[+L?|;$/g, '');
    const foreign = own.flatMap(({ name, classes, uses, isDynamic, version }) => [
      ...(isDynamic ? [`${name} needs java.lang.invoke`] : []),
      ...(version > 52 ? [`${name} has version ${version}`] : []),
      ...classes
        .map(bare)
        .filter((one) => one.length > 1 && !one.startsWith('dev/detent/'))
        .filter((one) => !packages.test(one) || (library && !find(one)))
        .map((one) => `${name} names ${one}`),
      ...uses
        .filter(({ owner, member }) => owner.startsWith('java/') && library && !has(owner, member))
        .map(({ owner, member }) => `${name} uses ${owner}.${member}`),
    ]);
    expect(own.length).toBeGreaterThan(40);
    // What reads them does see what Java 8 has more.
    if (library)
      expect(find('java/util/concurrent/CompletableFuture') ?? find('java/util/Base64')).toBe(null);
    if (library)
      expect(
        has('java/util/Map', 'getOrDefault (Ljava/lang/Object;Ljava/lang/Object;)Ljava/lang/Object;'),
      ).toBe(false);
    if (library) expect(has('java/util/HashMap', 'get (Ljava/lang/Object;)Ljava/lang/Object;')).toBe(true);
    expect([...new Set(foreign)]).toEqual([]);
    console.log(
      `${own.length} classes, the jar has ${jar.length} bytes, checked against ${library ? 'Java 7' : 'packages'}`,
    );
    expect(jar.length).toBeLessThanOrEqual(100 * 1024);
    const names = [...unzip(jar).keys()];
    expect(names).toContain('META-INF/proguard/detent-client.pro');
    const rules = String(unzip(jar).get('META-INF/proguard/detent-client.pro')?.());
    // Newer Android builds refuse global options in the rules of a library.
    expect(rules.match(/^-(?!keep)\w+/gm)).toBe(null);
  });

  it('gives the first answer as its page says', async () => {
    const server = await startExample('node');
    const folder = await temporaryWorkspace();
    const { stdout, stderr } = await promisify(execFile)('java', [
      ...quickStart,
      `-Djava.io.tmpdir=${folder}`,
      `-Dshop=${server.url}`,
      '-cp',
      defaultPath(),
      'Hello',
    ]);
    expect({ stdout, stderr }).toEqual({ stdout: 'Which order shall I pay back?\n', stderr: '' });
  });
});
