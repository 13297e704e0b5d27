// LangGraph with its own checkpointer, which waits for each checkpoint. Modes: NORMAL, as it opens a database, and FULL.
import { Annotation, END, START, StateGraph } from '@langchain/langgraph';
import { SqliteSaver } from '@langchain/langgraph-checkpoint-sqlite';
import Database from 'better-sqlite3';

export function open({ file, mode, lengths, bump }) {
  const db = new Database(file);
  const checkpointer = new SqliteSaver(db);
  checkpointer.setup();
  if (mode.endsWith('FULL')) db.pragma('synchronous = FULL');
  const graphs = new Map(lengths.map((length) => [length, graphOf(length, bump).compile({ checkpointer })]));
  let count = 0;
  return {
    async run(length) {
      count += 1;
      const configurable = { thread_id: `thread-${count}` };
      const { n } = await graphs.get(length).invoke({ n: 0 }, { configurable, durability: 'sync' });
      return n;
    },
    close: () => db.close(),
  };
}

function graphOf(length, bump) {
  const graph = new StateGraph(Annotation.Root({ n: Annotation() }));
  for (let i = 0; i < length; i++) graph.addNode(`s${i}`, async ({ n }) => ({ n: bump(n) }));
  for (let i = 1; i < length; i++) graph.addEdge(`s${i - 1}`, `s${i}`);
  return graph.addEdge(START, 's0').addEdge(`s${length - 1}`, END);
}
