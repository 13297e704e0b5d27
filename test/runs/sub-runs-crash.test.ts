import { expect, it, onTestFinished } from 'vitest';
import { assemble } from '../../src/runtime/create-detent.ts';
import { openInMemory } from '../../src/store/sql/in-memory.ts';
import { type ScriptLine, scriptedModel } from '../../src/testing/index.ts';
import { modelOptions, withModel } from '../support/detent.ts';
import { dyingAt } from '../support/dying-store.ts';

/** Lines by the first words of a run; which of them comes next is read off the conversation, so any process can go on. */
type Scripts = Readonly<Record<string, readonly ScriptLine[]>>;

function voices(scripts: Scripts) {
  const line: ScriptLine = (request, options) => {
    const first = request.messages.find(({ role }) => role === 'user');
    const name = first && 'text' in first ? first.text : '';
    const n = request.messages.filter(({ role }) => role === 'assistant').length;
    const said = scripts[name]?.[n] ?? { error: { message: `"${name}" has no line ${n}` } };
    return typeof said === 'function' ? said(request, options) : said;
  };
  return scriptedModel(Array.from({ length: 100 }, () => line));
}

it('a task whose process dies again and again is no fault of the call that waits for it', async () => {
  const store = openInMemory();
  onTestFinished(() => store.close());
  const scripts: Scripts = {
    parent: [{ toolCalls: [{ name: 'task', arguments: { prompt: 'child' } }] }, { text: 'end' }],
    child: Array.from({ length: 40 }, () => ({ toolCalls: [{ name: 'datetime' }] })),
  };
  const script = { ...scripts, child: [...(scripts.child ?? []), { text: 'found' }] };
  let runId = '';
  for (let life = 0; life < 6; life++) {
    // Late enough that the call has found its run again, while that works on.
    const dying = dyingAt(24);
    const detent = assemble(modelOptions(voices(script), { store, onError: () => {} }), {
      store: dying.decorate,
    });
    if (life === 0) runId = detent.run('parent').runId;
    else await detent.runs.resume().catch(() => {});
    await dying.died;
    await detent.close().catch(() => {});
  }
  const last = withModel(voices(script), { store });
  await last.runs.resume();
  expect(await last.runs.attach(runId).result).toMatchObject({ outcome: 'completed', text: 'end' });
});
