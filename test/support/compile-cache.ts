import { tmpdir } from 'node:os';
import { join } from 'node:path';

/**
 * Part of the environment of processes that tests start from source: without it each takes the types out of its files
 * again, which costs more than most of them do.
 */
export const compileCache = { NODE_COMPILE_CACHE: join(tmpdir(), 'node-compile-cache') };
