import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { toBlocks } from '../../../src/agent/messages/blocks.ts';
import { type Frame, toPrompt } from '../../../src/agent/prompt/projection.ts';
import { planPruning, withoutOldResults } from '../../../src/agent/prompt/pruning.ts';
import { estimatePrompt } from '../../../src/protocol/ports/tokens.ts';
import { chatRuleViolations } from '../../support/openai-rules.ts';
import { inSizes } from '../../support/size.ts';
import { answer, calls, history, result, user } from './blocks.ts';

const frame: Frame = { system: '', summary: null, provider: 'test/m' };
const none = { run: 0, seq: 0 };
const long = `HEAD ${'line of output\n'.repeat(400)} TAIL`;

/** A question, three rounds of a call with a long result, and an answer. */
const session = [
  user(1, 0, 'u '.repeat(2_000)),
  ...[1, 3, 5].flatMap((seq) => [
    answer(1, seq, { toolCalls: calls(seq + 10) }),
    result(1, seq + 1, seq + 10, { text: long }),
  ]),
  answer(1, 7),
];

describe('a pruned conversation', () => {
  it('shows old long results in short, with their beginning and end and where they are whole', () => {
    const [, , first, , , , third] = toPrompt(toBlocks(session), { ...frame, pruned: { run: 1, seq: 5 } });
    expect(first?.text.length).toBeLessThan(800);
    expect(first?.text).toMatch(/result of look, 6010 characters.*The log keeps it whole/);
    expect(first?.text).toMatch(/It began: HEAD line of output.*It ended: .*TAIL$/s);
    expect(third?.text).toBe(long);
  });

  it('keeps the text of a skill whole, and no other file of it', () => {
    const loading = (args: string) => {
      const [call] = calls(2);
      const toolCalls = call ? [{ ...call, name: 'skill', arguments: args }] : [];
      const messages = [user(1, 0), answer(1, 1, { toolCalls }), result(1, 2, 2, { text: long })];
      return toPrompt(toBlocks(messages), { ...frame, pruned: { run: 2, seq: 0 } }).at(-1)?.text;
    };
    expect(loading('{"name":"tea"}')).toBe(long);
    expect(loading('{"name":"tea","file":"kinds.md"}')).toContain('shortened to save room');
  });

  it('names the artifact that holds the whole output', () => {
    const messages = [
      user(1, 0),
      answer(1, 1, { toolCalls: calls(2) }),
      result(1, 2, 2, { text: long, artifact: 'art_1' }),
    ];
    const prompt = toPrompt(toBlocks(messages), { ...frame, pruned: { run: 2, seq: 0 } });
    expect(prompt.at(-1)?.text).toContain('as artifact art_1');
  });

  it('leaves the user’s words, the answers and short results alone', () => {
    const messages = [
      user(1, 0, long),
      answer(1, 1, { text: long, toolCalls: calls(2) }),
      result(1, 2, 2, { text: 'short' }),
    ];
    const blocks = toBlocks(messages);
    expect(toPrompt(blocks, { ...frame, pruned: { run: 9, seq: 0 } })).toEqual(toPrompt(blocks, frame));
  });

  it('is valid, the same for every process, and never longer, over all histories and places', () => {
    const place = fc.record({ run: fc.integer({ min: 0, max: 4 }), seq: fc.nat(30) });
    fc.assert(
      fc.property(history, place, (messages, pruned) => {
        const prompt = toPrompt(toBlocks(messages), { ...frame, pruned });
        expect(chatRuleViolations([...prompt, { role: 'user', text: 'next' }])).toEqual([]);
        const elsewhere = toBlocks(structuredClone(messages));
        expect(toPrompt(elsewhere, { ...frame, pruned })).toEqual(prompt);
        expect(estimatePrompt(prompt, [])).toBeLessThanOrEqual(
          estimatePrompt(toPrompt(elsewhere, frame), []),
        );
      }),
      { numRuns: inSizes({ usual: 100, deep: 500, full: 5_000 }) },
    );
  });

  it('is the same when it is pruned again', () => {
    fc.assert(
      fc.property(history, (messages) => {
        const all = { run: 99, seq: 0 };
        const once = withoutOldResults(toBlocks(messages), all);
        expect(withoutOldResults(once, all)).toEqual(once);
      }),
    );
  });
});

describe('the plan of a pruning', () => {
  const blocks = toBlocks(session);

  it('shortens all but the newest in one batch', () => {
    const plan = planPruning(blocks, none, { protect: 2_500, room: 10_000 });
    expect(plan).toMatchObject({ to: { run: 1, seq: 5 }, results: 2 });
    const whole = estimatePrompt(toPrompt(blocks, frame), []);
    const left = estimatePrompt(toPrompt(blocks, { ...frame, pruned: { run: 1, seq: 5 } }), []);
    expect(plan?.saved).toBe(whole - left);
  });

  it('never takes the results of the last answer, however little is protected', () => {
    const calling = session.slice(0, -1);
    expect(planPruning(toBlocks(calling), none, { protect: 0, room: 10_000 })?.to).toEqual({
      run: 1,
      seq: 5,
    });
  });

  it('is none when it would free too little, or nothing more than before', () => {
    expect(planPruning(blocks, none, { protect: 2_500, room: 100_000 })).toBeNull();
    expect(planPruning(blocks, none, { protect: 100_000, room: 10_000 })).toBeNull();
    expect(planPruning(blocks, { run: 1, seq: 5 }, { protect: 2_500, room: 1 })).toBeNull();
  });

  it('only ever moves forward', () => {
    const place = fc.record({ run: fc.integer({ min: 0, max: 4 }), seq: fc.nat(30) });
    fc.assert(
      fc.property(history, place, fc.nat(4_000), (messages, pruned, protect) => {
        const plan = planPruning(toBlocks(messages), pruned, { protect, room: 1 });
        if (!plan) return;
        const { run, seq } = plan.to;
        expect(run > pruned.run || (run === pruned.run && seq > pruned.seq)).toBe(true);
        expect(plan.results).toBeGreaterThan(0);
      }),
      { numRuns: inSizes({ usual: 100, deep: 500, full: 5_000 }) },
    );
  });
});
