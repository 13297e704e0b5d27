import { type Ask, request } from '../../src/store/program.ts';
import type { Statements } from '../../src/store/statements.ts';

/** Asks any statement: a test prepares rows of every subject. */
export const ask: Ask<Statements> = request;
