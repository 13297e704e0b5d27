#!/usr/bin/env node
import { writeSync } from 'node:fs';
import { version } from '../runtime/config.ts';
import { nodeProblem } from '../text/needs-node.ts';
import { keepCompiledCode } from './compiled-code.ts';

const problem = nodeProblem(process.versions.node);
if (problem !== null) {
  process.stderr.write(`detent: ${problem}\n`);
  process.exitCode = 1;
} else if (!hasPrintedVersion(process.argv[2])) {
  const compiled = keepCompiledCode(process.env);
  void import('./process.ts').then((it) => it.perform(compiled));
}

/** The version alone needs no streams, which Node would load for `process.stdout`. */
function hasPrintedVersion(word: string | undefined): boolean {
  if (word !== '--version' && word !== '-v') return false;
  try {
    writeSync(1, `${version()}\n`);
    return true;
  } catch {
    // The reader is gone, or slow: the ordinary way of printing knows both.
    return false;
  }
}
