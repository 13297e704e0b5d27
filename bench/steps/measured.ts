import type { ConcurrentResult } from './concurrent-child.ts';
import type { CpuResults } from './cpu.ts';
import type { ImportDepth, ImportResult } from './imports.ts';
import type { SpaceResult } from './space-child.ts';

export interface Measured {
  cpu: CpuResults;
  concurrent: { grouped: ConcurrentResult; single: ConcurrentResult };
  space: SpaceResult;
  imports: Record<ImportDepth, ImportResult>;
}
