import { appendFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileBusy } from '../../../protocol/error.ts';
import { parseJson } from '../../../protocol/json.ts';
import {
  makePrivateFile,
  makePrivateFolder,
  privateFileMode,
  readWholeSync,
  replaceFileSync,
  whileLockedSync,
} from '../../../text/files.ts';

const maxEntries = 500;
const longestEntry = 10_000;

/**
 * The input history of a workspace's chats, kept across restarts: a file with one JSON string a line, newest last. Only its
 * owner can read it, and known secrets are removed before writing.
 */
export class ChatHistory {
  readonly #file: string | null;
  readonly #redact: (text: string) => string;
  /** Newest first. */
  #entries: string[];
  #isKept = true;

  /** @param workspace null for a chat over a gateway, which leaves nothing in the folder where it runs */
  constructor(workspace: string | null, redact: (text: string) => string) {
    this.#file = workspace === null ? null : join(workspace, '.detent', 'chat-history');
    this.#redact = redact;
    const lines = this.#read();
    this.#entries = newestOf(lines);
    if (lines.length > maxEntries) this.#keep((file) => this.#rewrite(file));
  }

  /** Newest first. */
  get entries(): readonly string[] {
    return this.#entries;
  }

  add(text: string): void {
    const entry = this.#redact(text);
    if (entry.trim() === '' || entry.length > longestEntry || entry === this.#entries[0]) return;
    this.#entries = [entry, ...this.#entries].slice(0, maxEntries);
    this.#keep((file) => {
      makePrivateFile(file);
      appendFileSync(file, `${JSON.stringify(entry)}\n`);
    });
  }

  #read(): string[] {
    if (this.#file === null) return [];
    try {
      const lines = readWholeSync(this.#file).toString().split('\n');
      // A crash may have left a torn line.
      return lines.map((line) => parseJson(line)).filter((entry) => typeof entry === 'string');
    } catch {
      return [];
    }
  }

  #rewrite(file: string): void {
    const entries = newestOf(this.#read()).toReversed();
    const lines = entries.map((entry) => `${JSON.stringify(entry)}\n`);
    replaceFileSync(file, lines.join(''), privateFileMode);
  }

  /** Other chats write the file, too. Ignores write errors: the chat works without its history. */
  #keep(write: (file: string) => void): void {
    const file = this.#file;
    if (file === null || !this.#isKept) return;
    try {
      makePrivateFolder(dirname(file));
      whileLockedSync(
        `${file}.lock`,
        () => fileBusy(file),
        () => write(file),
      );
    } catch {
      this.#isKept = false;
    }
  }
}

/** The newest lines, newest first. */
function newestOf(lines: readonly string[]): string[] {
  return lines.slice(-maxEntries).reverse();
}
