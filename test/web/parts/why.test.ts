import * as fc from 'fast-check';
import { describe, expect, it, onTestFinished } from 'vitest';
import { endings } from '../../../machines/run.endings.ts';
import { ownWords, sentences } from '../../../src/gateway/access/sentences.ts';
import {
  errorReasonOf,
  fill,
  reasonOf,
  reasonTemplates,
  type Sentence,
  type SentenceValue,
  type Wording,
} from '../../../src/protocol/views.ts';
import { english } from '../../../src/runs/history/why/english.ts';
import { inEnglish } from '../../../src/runs/history/why/say.ts';
import { dayAndTime } from '../../../web/src/base/format.ts';
import { chooseLanguage } from '../../../web/src/base/language.ts';
import { chinese } from '../../../web/src/parts/why/chinese.ts';
import { chineseErrors } from '../../../web/src/parts/why/chinese-errors.ts';
import { errorInWords, inOwnWords, loadChinese, reasonInWords } from '../../../web/src/parts/why/finding.ts';
import { served } from '../../gateway/support.ts';
import { tool } from '../../support/detent.ts';

const templates: Readonly<Record<string, string>> = { ...english, ...reasonTemplates };
const codes = Object.keys(templates);

/** The values that a template takes: `at:time`, `count` for one with a word for each number. */
function valuesOf(template: string): string[] {
  const holes = [...template.matchAll(/\{(\w+)(?::([^}]*))?\}/g)];
  return holes
    .map(([, name = '', form = '']) => (form === '' || form.includes('|') ? name : `${name}:${form}`))
    .sort();
}

const optionalOf = (template: string) =>
  [...template.matchAll(/\[([^\]]*)\]/g)].flatMap(([part]) => valuesOf(part)).sort();

const plain: Wording = {
  duration: (ms) => `${ms}`,
  time: (at) => `${at}`,
  due: (ms) => `${ms}`,
  status: (status) => status,
  separator: '; ',
  sentence: ({ code }) => code,
};

describe('what why says', () => {
  it('has words in both languages, of the same values', () => {
    expect(Object.keys(chinese)).toEqual(codes);
    for (const code of codes) {
      expect(valuesOf(chinese[code] ?? ''), code).toEqual(valuesOf(templates[code] ?? ''));
      expect(optionalOf(chinese[code] ?? ''), code).toEqual(optionalOf(templates[code] ?? ''));
    }
  });

  it('has Chinese words for what ends a run, and for what the gateway says to a client', () => {
    const known = Object.keys(chineseErrors);
    expect(Object.keys(endings).filter((code) => !known.includes(code))).toEqual([]);
    const codes = [...Object.keys(sentences), ...ownWords];
    const unsaid = codes.filter((code) => !known.includes(code) && !code.startsWith('MODEL_'));
    expect(unsaid).toEqual([]);
  });

  it('writes Chinese with full-width punctuation, and never with the formal you', () => {
    for (const text of Object.values({ ...chinese, ...chineseErrors }).flat())
      expect(text).not.toMatch(/[一-鿿][,;:!?]|[一-鿿]\.(?:\s|$)|您/);
  });

  it.each([
    ['English', templates],
    ['Chinese', chinese],
  ] as const)('shows every value in %s, whatever it is', (_, written: Readonly<Record<string, string>>) => {
    const one = fc.record({
      code: fc.constantFrom(...codes),
      seed: fc.array(fc.string(), { minLength: 8, maxLength: 8 }),
    });
    fc.assert(
      fc.property(one, ({ code, seed }) => {
        const template = written[code] ?? '';
        const params: Record<string, SentenceValue> = {};
        for (const [i, value] of valuesOf(template).entries()) {
          const [name = '', form] = value.split(':');
          const isNumber =
            (form !== undefined && form !== 'status') || templates[code]?.includes(`{${name}:`);
          params[name] = isNumber && form !== 'status' ? 1_000 + i : `<${i}${seed[i]}>`;
        }
        const text = fill(template, params, plain);
        for (const [name, value] of Object.entries(params)) {
          // A count may be a word: `once`.
          if (typeof value === 'number' && text.includes(String(value)) === false)
            expect(templates[code]).toMatch(new RegExp(`\\{${name}:[^}]*\\|`));
          else expect(text).toContain(String(value));
        }
      }),
    );
  });

  it('leaves out what is unknown, and writes a sentence within another', () => {
    const why: Sentence = { code: 'process_ended', params: { pid: 7, driver: 1, since: 0 } };
    expect(inEnglish({ code: 'died_while', params: { died: why, state: 'x', work: [] } })).toBe(
      'process 7 (driver 1, since 1970-01-01T00:00:00.000Z) ended while the run was x',
    );
    const work = [1, 2].map((effect) => ({ code: 'model_call', params: { effect } }));
    expect(inEnglish({ code: 'died_while', params: { died: 'a', state: 'x', work } })).toBe(
      'a while the run was x: a model call (effect 1); a model call (effect 2)',
    );
  });

  it('is in the language of the page, and in English where the page has no words', async () => {
    const answer = {
      ...{ runId: 'r', sessionId: 's', status: 'done', outcome: null, cause: 'completed', chain: [] },
      ...{
        unfolded: null,
        summary: 'the summary',
        details: ['a', 'b'],
        next: [{ text: 'c', command: null }],
      },
      sentences: {
        summary: { code: 'max_steps', params: { steps: 2, max: 3 } },
        details: [{ code: 'of_next_year', params: {} }],
        next: [{ code: 'continue', params: {} }],
      },
    } as unknown as Parameters<typeof inOwnWords>[0];
    expect(inOwnWords(answer)?.summary).toBe('the summary');
    const since = Date.UTC(2026, 10, 30, 9, 30, 5);
    const died: Sentence = { code: 'process_ended', params: { pid: 7, driver: 1, since } };
    const summary: Sentence = {
      code: 'died_while',
      params: { died, state: '2026-01-01T00:00:00.000Z', work: [] },
    };
    const timed = { ...answer, summary: inEnglish(summary), sentences: { ...answer.sentences, summary } };
    expect(inOwnWords(timed)?.summary).toBe(
      `process 7 (driver 1, since ${dayAndTime(since, true)}) ended while the run was 2026-01-01T00:00:00.000Z`,
    );
    chooseLanguage('zh-CN');
    try {
      expect(inOwnWords(answer)).toBeNull();
      await loadChinese();
      expect(inOwnWords(answer)).toEqual({
        sessionId: 's',
        summary: '模型用了 3 步上限中的 2 步仍未完成：它最后的回答又要求使用工具',
        details: ['a', 'b'],
        next: [{ text: '继续对话', command: null }],
      });
    } finally {
      chooseLanguage('en');
    }
  });

  it('names the reason of a call by its code, not by its English', async () => {
    const asked = (why: string) => {
      const reason = reasonOf(why);
      return { why, ...(reason && { reason }) };
    };
    const taint = asked('taint: inbox (c5, in an earlier run) brought untrusted text, over session grant 1');
    expect(reasonInWords(asked('tool default: write_file asks'))).toBe('write_file asks by default');
    expect(reasonInWords(taint)).toBe(taint.why);
    chooseLanguage('zh-CN');
    try {
      await loadChinese();
      expect(reasonInWords(asked('tool default: write_file asks'))).toBe('write_file 默认会询问');
      expect(reasonInWords(taint)).toBe(
        'inbox（c5，较早的运行） 带来了不可信的文本，优先于：本次会话的许可 1',
      );
      expect(reasonInWords({ why: 'configuration: a later rule' })).toBe('configuration: a later rule');
      const refused =
        'https://api.acme refused the credentials (401): Odd key! Check the API key set for this provider.';
      const auth = { code: 'MODEL_AUTH', message: refused, reason: errorReasonOf(refused) ?? undefined };
      expect(errorInWords(auth)).toBe(
        'https://api.acme 不接受凭据（401）：Odd key!请检查为这个提供商设置的 API 密钥。',
      );
      const later = { code: 'of_next_year', params: {} };
      expect(errorInWords({ code: 'LATER', message: 'a later error', reason: later })).toBe('a later error');
      expect(errorInWords({ code: 'LATER', message: 'a later error' })).toBe('a later error');
      expect(errorInWords({ code: 'NO_JOB', message: 'no job "x"' })).toBe('没有这个任务：no job "x"');
      const noJob = { code: 'NO_JOB', message: 'no job "x"', details: { jobId: 'x' } };
      expect(errorInWords(noJob)).toBe('没有任务“x”');
      expect(reasonInWords(asked('configuration: tools.disabled has it'))).toContain('tools.disabled');
    } finally {
      chooseLanguage('en');
    }
  });
});

/** What a person did on the page, the request, and what they read of the refusal. */
const refusals: [string, string, (runId: string) => object, string | RegExp][] = [
  ['opens a run that is gone', 'run.get', () => ({ runId: 'run_gone' }), '没有运行“run_gone”'],
  ['opens a conversation that is gone', 'session.get', () => ({ sessionId: 'gone' }), '没有会话“gone”'],
  [
    'names another agent',
    'agent.run',
    () => ({ prompt: 'Hi', agent: 'gone' }),
    '没有智能体“gone”；有：default',
  ],
  [
    'sends too long a message',
    'agent.run',
    () => ({ prompt: 'x'.repeat(40) }),
    '提示有 40 字节，超过了 32 字节的上限；请把文本放进文件，再要求读取它',
  ],
  [
    'answers a call that is no question',
    'question.answer',
    (runId) => ({ runId, callId: 'c2', answer: 'yes' }),
    '调用 c2 需要另一种决定；请重新加载页面，看它在问什么',
  ],
  [
    'approves a call that there is not',
    'tool.confirm',
    (runId) => ({ runId, callId: 'c9', verdict: 'approve' }),
    /^运行“run_\w+”没有调用 c9$/,
  ],
  [
    'forks behind the end',
    'run.fork',
    (runId) => ({ runId, at: 99 }),
    /^运行 run_\w+ 有第 0 到第 \d 次状态转换，没有第 99 次$/,
  ],
  ['pauses a job that is gone', 'cron.pause', () => ({ jobId: 'gone' }), '没有任务“gone”'],
  [
    'makes a job for a time that has passed',
    'cron.add',
    () => ({ jobId: 'j', at: '2020-01-01T00:00:00Z', prompt: 'Hi' }),
    /^时间 .*已经过去$/,
  ],
  [
    'writes an interval that is none',
    'cron.preview',
    () => ({ every: 'often' }),
    '间隔是 1 秒到十年的时长，如“15m”或“1h30m”',
  ],
  [
    'writes a time zone that is none',
    'cron.preview',
    () => ({ cron: '0 9 * * *', timeZone: 'Europe/Berlinn' }),
    '“Europe/Berlinn”不是时区；是不是“Europe/Berlin”？',
  ],
  ['starts a workflow that is gone', 'workflow.start', () => ({ workflow: 'gone' }), /^没有工作流“gone”/],
];

describe('what the gateway refuses', () => {
  it('is said in Chinese alone, with what it is about', async () => {
    const pay = tool('pay', { confirm: true, sideEffect: 'unsafe' });
    const { detent, connect } = await served([{ toolCalls: [{ name: 'pay' }] }], {
      tools: { define: [pay] },
      limits: { maxPromptBytes: 32 },
    });
    const { runId } = await detent.run('Pay it.').result;
    const client = await connect();
    chooseLanguage('zh-CN');
    onTestFinished(() => chooseLanguage('en'));
    await loadChinese();
    const read: [string, string][] = [];
    for (const [what, method, payload] of refusals)
      read.push([what, errorInWords(await client.refused(method, { ...payload(runId) }))]);
    const expected = refusals.map(([what, , , said]) => [
      what,
      typeof said === 'string' ? said : expect.stringMatching(said),
    ]);
    expect(read).toEqual(expected);
  });
});
