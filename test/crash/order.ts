/** What a child process of a crash scenario is told to do. */
export interface ChildOrder {
  workspace: string;
  baseUrl: string;
  commands: Command[];
  /** The boundary at which the process kills itself; -1 for none. */
  killAt: number;
  contextWindow: number;
  synchronous: 'FULL' | 'NORMAL';
}

export type Command =
  | { do: 'run'; prompt: string; approve?: 'all'; mode?: 'queue' | 'interrupt'; wait?: boolean }
  | { do: 'steerWhen'; state: string; prompt: string }
  | { do: 'cancelWhen'; state: string }
  | { do: 'settle' };
