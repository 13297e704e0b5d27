import { availableParallelism, cpus, totalmem } from 'node:os';
import { rounded } from './numbers.ts';

export interface MachineFacts {
  date: string;
  node: string;
  platform: string;
  cores: number;
  cpu: string;
  memoryGb: number;
}

/** What a reader must know to compare figures with those of another machine. */
export function machineFacts(): MachineFacts {
  return {
    date: new Date().toISOString().slice(0, 10),
    node: process.versions.node,
    platform: `${process.platform} ${process.arch}`,
    cores: availableParallelism(),
    cpu: cpus()[0]?.model ?? 'unknown',
    memoryGb: rounded(totalmem() / 2 ** 30, 0),
  };
}
