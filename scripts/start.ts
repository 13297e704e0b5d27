/**
 * `npm start`: serves the workspace with its web page, which is built first when its sources have changed. What comes out of
 * a pipe or a file is a conversation on the terminal instead: `echo hello | npm start`.
 */
import { fstatSync } from 'node:fs';
import { messageOf } from '../src/protocol/error.ts';
import { buildPage } from './build/page.ts';

const [node = '', , ...given] = process.argv;
const isConversation = hasInput();
if (!isConversation) await pageBuilt();

// On its usual port the page is where it was the last time; another program there is no reason not to start.
const words = isConversation ? ['chat'] : ['serve', ...(given.includes('--port') ? [] : ['--any-port'])];
process.argv = [node, process.argv[1] ?? '', ...words, ...given];
await import('../src/cli/main.ts');

async function pageBuilt(): Promise<void> {
  try {
    await buildPage(() => console.error('detent: building the web page'));
  } catch (error) {
    console.error(`detent: the web page could not be built; everything else works: ${messageOf(error)}`);
  }
}

/** Whether stdin is a pipe of a shell, or a file. */
function hasInput(): boolean {
  try {
    const kind = fstatSync(0);
    return kind.isFIFO() || kind.isFile();
  } catch {
    return false;
  }
}
