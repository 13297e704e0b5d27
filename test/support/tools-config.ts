/**
 * A configuration with tools of every kind:
 * `note` (unsafe, asks) and `look` (readonly) append a line to `calls.log`; `slow` (unsafe, asks nothing) and
 * `slow_look` (readonly) say that they have begun and wait for `go`; `fail` fails; `env` tells a variable.
 */
export const toolsConfig = `
import { appendFileSync, existsSync } from 'node:fs';
import { join } from 'node:path';
import { defineConfig, defineTool, ToolFailure } from 'detent';

const log = (workspace, line) => appendFileSync(join(workspace, 'calls.log'), line + '\\n');
// Zod's schemas would take a sixth of the time of each process.
const text = { type: 'object', properties: { text: { type: 'string' } }, required: ['text'] };
const wait = async (workspace, signal) => {
  while (!existsSync(join(workspace, 'go')) && !signal.aborted)
    await new Promise((resolve) => setTimeout(resolve, 20));
};
const tool = (name, sideEffect, confirm, run) =>
  defineTool({ name, description: name, jsonSchema: text, sideEffect, confirm, run });
const noted = (name) => ({ text }, { workspace }) => {
  log(workspace, name + ' ' + text);
  return 'noted ' + text;
};
const slowly = (name) => async ({ text }, { workspace, signal, progress }) => {
  log(workspace, name + ' began');
  progress('began to be ' + name);
  await wait(workspace, signal);
  log(workspace, name + ' ended');
  return 'slept';
};

export default defineConfig({
  ...(process.env.EXTRA_CONFIG ? JSON.parse(process.env.EXTRA_CONFIG) : {}),
  tools: {
    ...(process.env.ALLOWED ? { allowed: process.env.ALLOWED.split(',') } : {}),
    define: [
      tool('note', 'unsafe', true, noted('note')),
      tool('look', 'readonly', false, noted('look')),
      tool('slow', 'unsafe', false, slowly('slow')),
      tool('slow_look', 'readonly', false, slowly('slow_look')),
      tool('fail', 'readonly', false, () => { throw new ToolFailure('OUT_OF_STOCK', 'none left'); }),
      tool('env', 'readonly', false, ({ text }) => 'it is ' + process.env[text]),
      tool('big', 'readonly', false, () => 'y'.repeat(200_000)),
    ],
  },
});
`;

/** The same with further fields. */
export function toolsConfigWith(fields: object): string {
  return toolsConfig.replace('defineConfig({', `defineConfig({ ...${JSON.stringify(fields)},`);
}
