import type { RE2JS } from 're2js';
import { DetentError } from '../../protocol/error.ts';
import { untrustedMark } from '../../protocol/ports.ts';
import {
  type ArgumentsOf,
  defineTool,
  ownArguments,
  type Tool,
  type ToolContext,
  ToolFailure,
} from '../../protocol/tool.ts';
import { type FileRules, noFileRules } from '../files/file-rules.ts';
import { globMatcher } from '../files/glob.ts';
import { noteFile, noteLines } from '../files/note-reading.ts';
import { openFile } from '../files/open-file.ts';
import { type FoundLine, searchText } from '../files/search-text.ts';
import { printablePath, walkFolder } from '../files/walk-folder.ts';
import { resolveInWorkspace, type WorkspacePath } from '../files/workspace-path.ts';

const defaultMatches = 100;
const maxMatches = 1_000;
const maxContext = 10;
const maxLineChars = 300;
const maxFileBytes = 10 * 1024 * 1024;
const maxFiles = 20_000;
/** Instructions of a compiled pattern: what it takes grows with them. `[a-z]{500}` has 500. */
const maxProgram = 1_000;
/** Below the size above which the agent stores a tool's output separately and shows the model only a preview. */
const maxOutputChars = 40_000;

const parameters = ownArguments(
  {
    pattern: {
      type: 'string',
      minLength: 1,
      maxLength: 1_000,
      description: 'Regular expression (RE2), tried on each line',
    },
  },
  {
    literal: { type: 'boolean', description: 'Take pattern as plain text; default false' },
    ignore_case: { type: 'boolean', description: 'Default false' },
    path: { type: 'string', description: 'File or folder, relative to the workspace; default all of it' },
    glob: {
      type: 'string',
      minLength: 1,
      maxLength: 1_000,
      description: 'Only files that match, from path on: *.ts, src/**/*.md',
    },
    context: {
      type: 'integer',
      minimum: 0,
      maximum: maxContext,
      description: 'Lines to show around each match; default 0',
    },
    max_matches: {
      type: 'integer',
      minimum: 1,
      maximum: maxMatches,
      description: `Most matching lines; default ${defaultMatches}`,
    },
    ignored: { type: 'boolean', description: 'Search what .gitignore leaves out, too; default false' },
  },
);

type GrepArguments = ArgumentsOf<typeof parameters>;

/** `grep`: lines of the workspace's files that match. Its time is linear in the text for every pattern. */
export function grepTool(rules: FileRules = noFileRules): Tool {
  return defineTool({
    name: 'grep',
    description:
      'Searches the text files of the workspace and returns matching lines as path:line:text. The pattern is an RE2 ' +
      'regular expression: no look-around, no back-references. Files left out by .gitignore, binary files, .git and ' +
      'node_modules are not searched, unless path names them.',
    parameters,
    sideEffect: 'readonly',
    async run(args, ctx) {
      const search = new Search(args, await compiled(args), rules, ctx);
      await search.run();
      return search.result();
    },
  });
}

/** @throws ToolFailure `INVALID_PATTERN`. */
async function compiled({ pattern, literal, ignore_case }: GrepArguments): Promise<RE2JS> {
  const { RE2JS } = await import('re2js');
  const flags = RE2JS.MULTILINE | (ignore_case ? RE2JS.CASE_INSENSITIVE : 0);
  try {
    const compiled = RE2JS.compile(literal ? RE2JS.quote(pattern) : pattern, flags);
    if (compiled.programSize() > maxProgram) throw new Error('it is too large: repeat less');
    return compiled;
  } catch (error) {
    const why = error instanceof Error ? error.message : 'it cannot be read';
    const message = `pattern is no RE2 regular expression: ${why}; set literal to search for plain text`;
    throw new ToolFailure('INVALID_PATTERN', message, { cause: error });
  }
}

class Search {
  readonly #args: GrepArguments;
  readonly #expression: RE2JS;
  readonly #signal: AbortSignal;
  readonly #rules: FileRules;
  readonly #ctx: ToolContext;
  readonly #lines: string[] = [];
  readonly #limit: number;
  readonly #counts = { ignored: 0 };
  #chars = 0;
  #matches = 0;
  #searched = 0;
  #binary = 0;
  readonly #unread: string[] = [];
  /** Why the search ended before the last file. */
  #stopped: string | null = null;

  constructor(args: GrepArguments, expression: RE2JS, rules: FileRules, ctx: ToolContext) {
    this.#rules = rules;
    this.#ctx = ctx;
    this.#args = args;
    this.#expression = expression;
    this.#signal = ctx.signal;
    this.#limit = args.max_matches ?? defaultMatches;
  }

  async run(): Promise<void> {
    const { workspace } = this.#ctx;
    const { database } = this.#rules;
    const { path = '.', glob, ignored: withIgnored = false } = this.#args;
    const root = await resolveInWorkspace(workspace, '.', database);
    const start = await resolveInWorkspace(workspace, path, database);
    const matches = glob === undefined ? null : globMatcher(glob);
    const above = start.shown === '.' ? 0 : start.shown.split('/').length;
    const options = { root, depth: Number.POSITIVE_INFINITY, withIgnored, signal: this.#signal };
    try {
      for await (const { segments, real, kind } of walkFolder(start, options, this.#counts)) {
        if (kind !== 'file' || (matches && !matches(segments.slice(above)))) continue;
        await this.#file({ real, shown: segments.join('/'), database }, printablePath(segments));
        if (this.#stopped !== null) return;
      }
    } catch (error) {
      if (!DetentError.is(error) || error.code !== 'NOT_A_FOLDER' || this.#searched > 0) throw error;
      await this.#onlyFile(start);
    }
  }

  result(): string {
    const notes = [
      this.#stopped,
      this.#binary > 0 && `${this.#binary} binary ${this.#binary === 1 ? 'file' : 'files'} passed over`,
      this.#unread.length > 0 && `not searched: ${this.#unread.slice(0, 5).join(', ')}`,
      this.#unread.length > 5 && `and ${this.#unread.length - 5} more`,
      this.#counts.ignored > 0 &&
        `${this.#counts.ignored} left out by .gitignore; set ignored to search them`,
    ].filter((note) => note !== null && note !== false);
    const files = this.#searched === 1 ? '1 file' : `${this.#searched} files`;
    if (this.#matches === 0) return `[${[`no match in ${files}`, ...notes].join('; ')}]`;
    return [...this.#lines, ...(notes.length > 0 ? [`[${notes.join('; ')}]`] : [])].join('\n');
  }

  /** Searches a file that the call names: throws if the file cannot be searched. */
  async #onlyFile(file: WorkspacePath): Promise<void> {
    const shown = printablePath(file.shown.split('/'));
    await using handle = await openFile(file);
    const { size } = await handle.stat();
    if (size > maxFileBytes)
      throw new ToolFailure(
        'FILE_TOO_LARGE',
        `${shown} is larger than ${maxFileBytes / 2 ** 20} MB; use read_file`,
      );
    await this.#file(file, shown);
    if (this.#binary > 0) throw new ToolFailure('BINARY_FILE', `${shown} is not a text file`);
  }

  async #file(file: WorkspacePath, shown: string): Promise<void> {
    this.#signal.throwIfAborted();
    if (this.#searched === maxFiles) {
      this.#stopped = `stopped after ${maxFiles} files; name a subfolder`;
      return;
    }
    const content = await this.#textOf(file, shown);
    if (content === null) return;
    this.#searched += 1;
    const found = await searchText(content, this.#expression, {
      context: this.#args.context ?? 0,
      limit: this.#limit - this.#matches,
      maxLineChars,
      signal: this.#signal,
    });
    if (found.length > 0) await this.#note(file, content, found);
    this.#show(found, shown);
  }

  /** A line may be cut where it says that it is untrusted. */
  async #note(file: WorkspacePath, content: string, found: readonly FoundLine[]): Promise<void> {
    await using handle = await openFile(file);
    await noteFile(this.#rules, this.#ctx, file, handle);
    if (!content.includes(untrustedMark)) return;
    const lines = content.split('\n');
    for (const { number } of found) noteLines(lines[number - 1] ?? '', this.#ctx);
  }

  /** The text of a file; null to skip it. `openFile` goes through the pinned folder, so it refuses a swapped link. */
  async #textOf(file: WorkspacePath, shown: string): Promise<string | null> {
    try {
      await using handle = await openFile(file);
      const { size } = await handle.stat();
      if (size > maxFileBytes) {
        this.#unread.push(`${shown} (${Math.round(size / 2 ** 20)} MB)`);
        return null;
      }
      // Read the size that `stat` reported, even if the file grows meanwhile.
      const { buffer, bytesRead } = await handle.read(Buffer.alloc(size), 0, size, 0);
      const bytes = buffer.subarray(0, bytesRead);
      if (bytes.includes(0)) {
        this.#binary += 1;
        return null;
      }
      return new TextDecoder().decode(bytes).replaceAll('\r\n', '\n');
    } catch (error) {
      if (!DetentError.is(error)) throw error;
      this.#unread.push(`${shown} (${error.code})`);
      return null;
    }
  }

  #show(found: readonly FoundLine[], shown: string): void {
    let last: number | null = null;
    for (const { number, text, isMatch } of found) {
      const isGap =
        (this.#args.context ?? 0) > 0 && this.#lines.length > 0 && (last === null || number > last + 1);
      const sign = isMatch ? ':' : '-';
      const lines = [...(isGap ? ['--'] : []), `${shown}${sign}${number}${sign}${text}`];
      this.#chars += lines.reduce((sum, line) => sum + line.length + 1, 0);
      if (this.#chars > maxOutputChars) {
        this.#stopped = `stopped at ${maxOutputChars} characters; narrow path, glob or pattern`;
        return;
      }
      this.#lines.push(...lines);
      last = number;
      if (isMatch) this.#matches += 1;
    }
    if (this.#matches >= this.#limit)
      this.#stopped = `stopped at ${this.#limit} matches; narrow path, glob or pattern, or raise max_matches`;
  }
}
