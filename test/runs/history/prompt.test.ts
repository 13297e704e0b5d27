import { describe, expect, it } from 'vitest';
import type { DetentOptions, ModelRequest, RunPrompt } from '../../../src/index.ts';
import { type ScriptLine, scriptedModel } from '../../../src/testing/index.ts';
import { isPrompt, talkative, words } from '../../agent/compaction/support.ts';
import { scripted, temporaryWorkspace, tool, withModel } from '../../support/detent.ts';

const look = tool('look', { run: () => 'x'.repeat(3_000) });
const round: ScriptLine = { text: 'I look.', toolCalls: [{ name: 'look', arguments: { at: 'door' } }] };

/** What the model got, or what is shown of it. */
function asShown({ messages, tools }: Pick<RunPrompt | ModelRequest, 'messages' | 'tools'>) {
  return {
    messages: messages.map((message) => [
      message.role,
      message.text,
      'toolCallId' in message ? message.toolCallId : '',
    ]),
    tools,
  };
}

const nothing: ModelRequest = { model: '', messages: [], tools: [] };

async function everyPrompt(script: readonly ScriptLine[], options: DetentOptions = {}) {
  const { detent, model } = await scripted(script, options);
  await detent.run('first', { sessionId: 's' }).result;
  const { runId } = await detent.run('second', { sessionId: 's', system: 'Be brief.' }).result;
  const log = await detent.runs.events(runId);
  return {
    detent,
    model,
    runId,
    steps: log.filter(({ path }) => path.startsWith('active.working.thinking')),
  };
}

describe('the prompt of a model call', () => {
  it('is what the model was sent, at every step', async () => {
    const script = [{ text: 'one' }, round, round, { text: 'done' }];
    const { detent, model, runId, steps } = await everyPrompt(script, { tools: { define: [look] } });
    expect(steps).toHaveLength(3);
    for (const [i, { seq }] of steps.entries()) {
      const prompt = await detent.runs.prompt(runId, { seq });
      expect(asShown(prompt)).toEqual(asShown(model.requests[i + 1] ?? nothing));
      expect(prompt).toMatchObject({ model: 'test/script', seq, answeredAt: seq + 1 });
      expect(prompt.tokens).toBe(prompt.tokensThen);
    }
    const last = await detent.runs.prompt(runId);
    expect(last.seq).toBe(steps[2]?.seq);
    expect(last.messages[0]).toMatchObject({ role: 'system', text: expect.stringContaining('Be brief.') });
  });

  it('has what hooks added then, and calls none of them', async () => {
    let calls = 0;
    const hooks = {
      runStart: [() => ({ addContext: `start ${++calls}` })],
      beforeModel: [() => ({ addContext: `now ${++calls}` })],
    };
    const { detent, model, runId, steps } = await everyPrompt([{ text: 'one' }, round, { text: 'done' }], {
      hooks,
      tools: { define: [look] },
    });
    const before = calls;
    for (const [i, { seq }] of steps.entries())
      expect(asShown(await detent.runs.prompt(runId, { seq }))).toEqual(
        asShown(model.requests[i + 1] ?? nothing),
      );
    expect(calls).toBe(before);
  });

  it('begins where it began then, whatever was summarised later', async () => {
    const { detent, model, runId, steps } = await everyPrompt([
      { text: 'one' },
      { text: 'two' },
      { text: 'flushed' },
      { text: 'SUMMARY' },
    ]);
    await detent.sessions.compact('s');
    const prompt = await detent.runs.prompt(runId, { seq: steps[0]?.seq ?? 0 });
    expect(asShown(prompt)).toEqual(asShown(model.requests[1] ?? nothing));
    expect(prompt.tokens).toBe(prompt.tokensThen);
  });

  it('is what was sent wherever the sizes agree, through prunings and compactions', async () => {
    const found = `FOUND ${'a line of the file\n'.repeat(250)}`;
    const model = talkative({
      answer: (n) =>
        n % 4 === 0 ? { text: words(4_000, n) } : { toolCalls: [{ name: 'look', arguments: { n } }] },
    });
    const tools = { define: [tool('look', { run: () => found })], allowed: ['look'] };
    const detent = withModel(model, { workspace: await temporaryWorkspace(), tools });
    const runIds: string[] = [];
    for (let n = 0; n < 8; n++)
      runIds.push(
        (await detent.run(`find ${n}`, { sessionId: 's', model: 'test/moonshot-v1-8k' }).result).runId,
      );
    const sent = model.requests.filter(isPrompt).map(asShown);
    const seen = { exact: 0, other: 0, unsent: 0, events: new Set<string>() };
    for (const runId of runIds)
      for (const { seq, path, event } of await detent.runs.events(runId)) {
        seen.events.add(event.type);
        if (!path.endsWith('requesting')) continue;
        const prompt = await detent.runs.prompt(runId, { seq }).catch((error) => {
          expect(error).toMatchObject({ code: 'NO_PROMPT' });
          return null;
        });
        if (prompt === null) seen.unsent++;
        else if (prompt.tokens !== prompt.tokensThen) seen.other++;
        else {
          seen.exact++;
          expect(sent).toContainEqual(asShown(prompt));
        }
      }
    expect([...seen.events]).toEqual(expect.arrayContaining(['context.pruned', 'compact.done']));
    expect(seen.unsent).toBeGreaterThan(0);
    expect(seen).toMatchObject({ other: 0 });
  });

  it('says that it differs from what was sent where the tools have changed', async () => {
    const workspace = await temporaryWorkspace();
    const options = { workspace, store: undefined, tools: { define: [look] } } as const;
    const detent = withModel(scriptedModel([round, { text: 'done' }]), options as never);
    const { runId } = await detent.run('go').result;
    await detent.close();
    const other = tool('look', { description: 'Looks at a place, and says what is there.' });
    const later = withModel(scriptedModel([]), { ...options, tools: { define: [other] } } as never);
    const { tokens, tokensThen, tools } = await later.runs.prompt(runId);
    expect(tokens).not.toBe(tokensThen);
    expect(tools.find(({ name }) => name === 'look')?.description).toBe(other.description);
  });

  it('goes in pages bound in size', async () => {
    const long = 'y'.repeat(90_000);
    const { detent } = await scripted([{ text: long }, { text: long }, { text: 'three' }]);
    for (const said of ['1', '2']) await detent.run(said, { sessionId: 's' }).result;
    const { runId } = await detent.run(long, { sessionId: 's' }).result;
    const texts: string[] = [];
    let pages = 0;
    for (let from: number | undefined = 0; from !== undefined; pages++) {
      const page: RunPrompt = await detent.runs.prompt(runId, { from });
      texts.push(...page.messages.map(({ text }) => text));
      expect(JSON.stringify(page).length).toBeLessThan(300_000);
      from = page.nextFrom;
    }
    expect(pages).toBeGreaterThan(1);
    expect(texts.slice(-5)).toEqual(['1', long, '2', long, long]);
  });

  it('is refused where no model was asked', async () => {
    const { detent } = await scripted([{ text: 'one' }]);
    const { runId } = await detent.run('go').result;
    await expect(detent.runs.prompt(runId, { seq: 0 })).rejects.toMatchObject({ code: 'NO_PROMPT' });
    await expect(detent.runs.prompt(runId, { seq: 99 })).rejects.toMatchObject({ code: 'SEQ_OUT_OF_RANGE' });
  });
});
