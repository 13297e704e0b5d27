/** What makes the same steps: a program beside this file, the packages that it needs, and the ways that it is run in. */
export interface Subject {
  name: string;
  /** In `programs/`. */
  program: string;
  /** With exact versions; empty for Detent, which is packed, and for the floor. */
  packages: readonly string[];
  /** Versions of what the packages need, where theirs cannot be had without a compiler. */
  overrides?: Readonly<Record<string, string>>;
  modes: readonly string[];
  /** What a run of it outlives. */
  guarantee: string;
}

export const detent: Subject = {
  name: 'Detent',
  program: 'detent.mjs',
  packages: [],
  modes: ['steps, FULL', 'steps, NORMAL', 'tools, FULL', 'agent, FULL'],
  guarantee:
    'the start of each step is on the disk before the step runs, and its result with the transition before the next one starts; every event is kept, and replayed to the same states',
};

export const floor: Subject = {
  name: 'floor: commits alone',
  program: 'floor.mjs',
  packages: [],
  modes: ['FULL'],
  guarantee: 'a row for each commit of a run of steps of Detent',
};

/** By the names that `--only` takes. */
export const peers: Readonly<Record<string, Subject>> = {
  langgraph: {
    name: 'LangGraph 1.7.3',
    program: 'langgraph.mjs',
    packages: [
      '@langchain/langgraph@1.7.3',
      '@langchain/langgraph-checkpoint-sqlite@1.0.4',
      '@langchain/core@1.4.0',
      'zod@4.6.7',
    ],
    // The 12 that it asks for is downloaded or compiled by a script of its own; this one has its binaries in the package.
    overrides: { 'better-sqlite3': '13.2.0' },
    modes: ['sync, FULL', 'sync, NORMAL'],
    guarantee:
      'durability "sync": the writes of a step and the checkpoint after it, before the next step starts; that a step has started is not kept',
  },
  mastra: {
    name: 'Mastra 1.71.0',
    program: 'mastra.mjs',
    packages: ['@mastra/core@1.71.0', '@mastra/libsql@1.23.1', 'zod@4.6.7'],
    modes: ['FULL', 'NORMAL'],
    guarantee: 'the snapshot of the run when a step starts and when it ends, each in place of the one before',
  },
};
