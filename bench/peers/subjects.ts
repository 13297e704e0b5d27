/** What does the same work: a program beside this file, the packages that it needs, and the ways that it is run in. */
export interface Subject {
  name: string;
  /** In `programs/`. */
  program: string;
  /** With exact versions; empty for Detent, which is packed, and for the floor. */
  packages: readonly string[];
  modes: readonly string[];
}

export const detent: Subject = {
  name: 'Detent',
  program: 'detent.mjs',
  packages: [],
  modes: ['in process', 'NORMAL', 'FULL'],
};

export const floor: Subject = {
  name: 'floor: loop over fetch',
  program: 'floor.mjs',
  packages: [],
  modes: ['in memory', 'NORMAL', 'FULL'],
};

/** By the names that `--only` takes. None of them keeps anything. */
export const peers: Readonly<Record<string, Subject>> = {
  pi: {
    name: 'pi',
    program: 'pi.mjs',
    packages: ['@earendil-works/pi-agent-core@0.87.1', '@earendil-works/pi-ai@0.87.1'],
    modes: ['in memory'],
  },
  'ai-sdk': {
    name: 'AI SDK',
    program: 'ai-sdk.mjs',
    packages: ['ai@7.0.173', '@ai-sdk/openai-compatible@3.0.92', 'zod@4.6.7'],
    modes: ['in memory'],
  },
  'openai-agents': {
    name: 'OpenAI Agents',
    program: 'openai-agents.mjs',
    packages: ['@openai/agents@0.20.0', 'openai@7.55.0', 'zod@4.6.7'],
    modes: ['in memory'],
  },
};
