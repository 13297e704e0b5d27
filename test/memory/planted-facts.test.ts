import { describe, expect, it } from 'vitest';
import { isFlush, talkative, words } from '../agent/compaction/support.ts';
import { scripted } from '../support/detent.ts';

const facts = [
  ['The dentist is called Doctor Okafor', 'Who is my dentist?', 'Okafor'],
  ['The locker code at the pool is 4471', 'What is the code of the pool locker?', '4471'],
  ['My sister Ines moved to Porto in May', 'Where did my sister move?', 'Porto'],
  ['The car needs winter tyres of size 205', 'Which tyres does the car need?', '205'],
  ['Our landlord wants the rent on the third', 'When does the landlord want the rent?', 'third'],
  ['The sourdough starter is fed at noon', 'When is the starter fed?', 'noon'],
  ['Project Kingfisher ships on 14 March', 'When does Kingfisher ship?', '14 March'],
  ['The cat takes half a pill of Apoquel', 'What pill does the cat take?', 'Apoquel'],
  ['My passport ends in 2031', 'Until when is my passport good?', '2031'],
  ['The wifi at the cabin is called Larch', 'Name of the wifi at the cabin?', 'Larch'],
  ['I am allergic to penicillin', 'What am I allergic to?', 'penicillin'],
  ['The violin lesson is on Thursdays', 'On which day is the violin lesson?', 'Thursdays'],
  ['Grandma prefers letters over calls', 'What does grandma prefer?', 'letters'],
  ['The boiler was serviced by Hansen', 'Who serviced the boiler?', 'Hansen'],
  ['The train to Ghent leaves at 7:42', 'When does the train to Ghent leave?', '7:42'],
  ['我最喜欢的茶是龙井', '我最喜欢喝什么茶？', '龙井'],
  ['我们的猫叫小雪', '猫叫什么名字？', '小雪'],
  ['下次会议在杭州举行', '下次会议在哪里举行？', '杭州'],
  ['The backup disk is in the blue drawer', 'Where is the backup disk?', 'blue drawer'],
  ['Our accountant is Mrs Lindqvist', 'Who is the accountant?', 'Lindqvist'],
] as const;

/** What a model that listens would save: the sentences of the user that state something. */
const listening = (_: number, { messages }: { messages: readonly { text?: string }[] }) => {
  const heard = messages[0]?.text ?? '';
  const lines = facts.flatMap(([fact]) => (heard.includes(fact) ? [fact] : []));
  return lines.length > 0
    ? { toolCalls: [{ name: 'memory_write', arguments: { lines } }] }
    : { text: 'NOTHING' };
};

describe('facts that were said in a session which has been compacted', () => {
  it.each([
    ['the model saves them', listening],
    ['no model can be asked for them', () => ({ error: { code: 'MODEL_DOWN', message: 'down' } as never })],
  ])('are found by memory alone when %s', async (_, flush) => {
    const model = talkative({ flush });
    const { detent } = await scripted([], { models: { other: model }, memory: { recall: false } });
    for (const [n, [fact]] of facts.entries())
      await detent.run(`${fact}. ${words(1_500, n)}`, { sessionId: 's', model: 'other/moonshot-v1-8k' })
        .result;
    for (let n = 0; n < 8; n++)
      await detent.run(words(2_000, n), { sessionId: 's', model: 'other/moonshot-v1-8k' }).result;
    expect(model.requests.filter(isFlush).length).toBeGreaterThan(1);
    const missed: string[] = [];
    for (const [, question, answer] of facts) {
      const { results } = await detent.memory.search(question, { limit: 3 });
      if (!results.some(({ snippet }) => snippet.includes(answer))) missed.push(question);
    }
    expect(missed).toEqual([]);
  });
});
