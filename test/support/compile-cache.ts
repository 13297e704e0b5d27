import { tmpdir } from 'node:os';
import { join } from 'node:path';

/**
 * Part of the environment of the processes that tests start, and of Vitest's: without it each compiles its modules
 * again, and takes the types out of its sources, which costs more than most of them do.
 */
export const compileCache = { NODE_COMPILE_CACHE: join(tmpdir(), 'node-compile-cache') };
