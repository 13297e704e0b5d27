import type { LifeOrder } from './harness/life.ts';

/** The work of a process of a scenario of agents' runs. */
export interface RunOrder extends LifeOrder {
  of: 'runs';
  baseUrl: string;
  commands: Command[];
  contextWindow: number;
  /** The first model answers nothing, ever; another one is behind it. */
  isFirstModelDown: boolean;
  /** All runs share a budget. */
  sharesBudget: boolean;
  /** What the shell runs in; null without a shell. */
  sandbox: 'auto' | 'none' | null;
  /** The program of two servers of tools, the second of them trusted; null without servers. */
  serverFile: string | null;
  synchronous: 'FULL' | 'NORMAL';
}

export type Command =
  | {
      do: 'run';
      prompt: string;
      approve?: 'all';
      mode?: 'queue' | 'interrupt';
      wait?: boolean;
      image?: true;
      output?: true;
      /** With a tool `client_look` that the caller performs. */
      hasClient?: true;
    }
  | { do: 'steerWhen'; state: string; prompt: string }
  | { do: 'cancelWhen'; state: string }
  /** Cancels a run when what its task has started is in a state. */
  | { do: 'cancelParentWhen'; state: string }
  /** Waits for a state and dies there. */
  | { do: 'reach'; state: string }
  /** Takes what others leave while they die, until the file {@link enoughFile} is there. */
  | { do: 'accompany' }
  | { do: 'settle' };

export const enoughFile = 'enough';
