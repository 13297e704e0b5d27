import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  existsSync,
  globSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { createServer } from 'node:http';
import { delimiter, dirname, join, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { onTestFinished } from 'vitest';
import { zip } from '../../../scripts/build/zip.ts';
import { compileJava, jarOf, javaSources } from '../../../scripts/build-java.ts';
import { blocksOf } from '../../docs/markdown.ts';
import { servedAt } from '../../support/listening.ts';
import { javaLibrary, unzip } from './class-file.ts';

const root = resolve(import.meta.dirname, '../../..');
const cache = join(root, 'node_modules/.cache/detent-java');

/** The client as a jar, and its tests as classes. */
export interface Built {
  jar: string;
  tests: string;
}

/** Compiles the client and its tests, unless that was done with the same sources. */
export function builtJava(): Built {
  const tests = globSync('src/**/*.java', { cwd: import.meta.dirname }).map((file) =>
    join(import.meta.dirname, file),
  );
  const hash = createHash('sha256');
  const page = programsOfPage();
  for (const file of [...javaSources, ...tests.sort()]) hash.update(readFileSync(file));
  for (const text of page.values()) hash.update(text);
  hash.update(readFileSync(import.meta.filename));
  const folder = join(cache, hash.digest('hex').slice(0, 16));
  if (!existsSync(folder)) {
    mkdirSync(cache, { recursive: true });
    const draft = mkdtempSync(join(cache, 'draft-'));
    const pages = [...page].map(([name, text]) => {
      const file = join(draft, `${name}.java`);
      writeFileSync(file, text);
      return file;
    });
    compileJava([...javaSources, ...tests, ...pages], join(draft, 'classes'));
    const own = globSync('{*,dev/detent/internal/UnitMain*}.class', { cwd: join(draft, 'classes') });
    mkdirSync(join(draft, 'tests/dev/detent/internal'), { recursive: true });
    for (const file of own) renameSync(join(draft, 'classes', file), join(draft, 'tests', file));
    writeFileSync(join(draft, 'client.jar'), jarOf(join(draft, 'classes')));
    // Another process may make the same one at this moment.
    if (existsSync(folder)) rmSync(draft, { recursive: true });
    else renameSync(draft, folder);
  }
  return { jar: join(folder, 'client.jar'), tests: join(folder, 'tests') };
}

/** The Java of docs/android.md, as classes by their names: a whole program speaks to the shop of `-Dshop=URL`. */
function programsOfPage(): Map<string, string> {
  const texts = blocksOf('docs/android.md', 'java').map(({ text }) => text);
  return new Map(
    texts.map((text, i): [string, string] => {
      const [, name] = /public class (\w+)/.exec(text) ?? [];
      if (name !== undefined)
        return [name, text.replaceAll('"http://localhost:3000', 'System.getProperty("shop") + "')];
      const imports = 'import dev.detent.*;\nimport dev.detent.wire.*;\n';
      return [
        `Page${i}`,
        `${imports}class Page${i} {\n  static void page(Engine engine) {\n${text}\n  }\n}\n`,
      ];
    }),
  );
}

/** Starts as fast as a JVM can. */
export const quickStart = ['-XX:TieredStopAtLevel=1', '-XX:+UseSerialGC', '-Xshare:auto'];

/** What an app said on stdout. */
export interface Said {
  reply?: number;
  value?: unknown;
  error?: string | null;
  client?: string;
  state?: string;
  engine?: string;
  class?: string;
  message?: Message;
  /** On which it came. */
  thread?: string;
  end?: string;
  code?: string | null;
  undecided?: Message;
}

export interface Message {
  event: string;
  runId: string;
  seq: number;
  index: number;
  payload: Record<string, unknown>;
}

/** A JVM with apps (`src/PhoneMain.java`). */
export class Phones {
  said: Said[] = [];
  readonly #child: ChildProcess;
  readonly #replies = new Map<number, { resolve(value: unknown): void; reject(error: Error): void }>();
  readonly #waiting = new Set<() => void>();
  #lastId = 0;
  #onSaid: (said: Said) => void = () => {};

  /** @param isKept whether it outlives the test: else it ends with it */
  constructor(classPath: string = defaultPath(), isKept = false) {
    const args = [...quickStart, '-cp', classPath, 'PhoneMain'];
    this.#child = spawn('java', args, { stdio: ['pipe', 'pipe', 'inherit'] });
    if (!isKept) onTestFinished(() => this.kill());
    this.#child.stdin?.on('error', () => {});
    const lines = createInterface({ input: this.#child.stdout as NodeJS.ReadableStream });
    lines.on('line', (line) => this.#take(JSON.parse(line)));
  }

  #take(said: Said): void {
    if (said.reply !== undefined) {
      const reply = this.#replies.get(said.reply);
      this.#replies.delete(said.reply);
      if (said.error === undefined) reply?.resolve(said.value);
      else reply?.reject(new Error(String(said.error)));
    } else {
      this.said.push(said);
      this.#onSaid(said);
    }
    for (const wake of [...this.#waiting]) wake();
  }

  /** @param waits whether the app obeys the next order before this one is done */
  ask<T = unknown>(order: Record<string, unknown>, waits = false): Promise<T> {
    const id = ++this.#lastId;
    this.#child.stdin?.write(`${JSON.stringify({ ...order, id, waits })}\n`);
    return new Promise((resolve, reject) => {
      this.#replies.set(id, { resolve: resolve as (value: unknown) => void, reject });
    });
  }

  /** Ends its apps, as if it had just begun. */
  async reset(): Promise<void> {
    await this.ask({ do: 'reset' });
    this.said = [];
  }

  onSaid(listen: (said: Said) => void): void {
    this.#onSaid = listen;
  }

  /** The first that fits, said before or after. */
  async until(fits: (said: Said) => boolean): Promise<Said> {
    while (true) {
      const found = this.said.find(fits);
      if (found) return found;
      await new Promise<void>((resolve) => {
        const wake = () => {
          this.#waiting.delete(wake);
          resolve();
        };
        this.#waiting.add(wake);
      });
    }
  }

  /** How a run, or a decision, ended: the code of its error. */
  async end(of: string): Promise<string | null | undefined> {
    return (await this.until(({ end }) => end === of)).code;
  }

  messages(engine: string): Message[] {
    return this.said.flatMap((said) => (said.engine === engine && said.message ? [said.message] : []));
  }

  kill(): void {
    this.#child.kill('SIGKILL');
  }
}

/** Gives tokens to apps, as a backend does. */
export async function tokensOf(next: () => Promise<string> | string) {
  const given: string[] = [];
  const server = createServer(async (_request, response) => {
    const token = await next();
    given.push(token);
    response.end(`${token}\n`);
  });
  return { url: `${await servedAt(server)}/`, given };
}

const proguard = process.env.DETENT_PROGUARD ?? 'proguard';
const [shrinker, ...shrinkerArgs] = proguard.endsWith('.jar') ? ['java', '-jar', proguard] : [proguard];

/** Why nothing can be shrunk here; null where it can. */
export const noProguard =
  spawnSync(shrinker ?? '', [...shrinkerArgs, '-version']).error || spawnSync('java', ['-version']).error
    ? 'no ProGuard (apt-get install proguard-cli, or its jar in DETENT_PROGUARD)'
    : null;

/** The client and the app of the tests, shrunk by the rules in the client's jar and by no others. */
export function shrunkJava(): string {
  const { jar, tests } = builtJava();
  const shrunk = join(dirname(jar), 'shrunk.jar');
  if (existsSync(shrunk)) return shrunk;
  const work = mkdtempSync(join(cache, 'draft-'));
  const rules = unzip(readFileSync(jar)).get('META-INF/proguard/detent-client.pro')?.() ?? Buffer.alloc(0);
  // ProGuard cannot read the library of a newer JDK, whose compiler knows what Java 8 has.
  const library = [...javaLibrary('8')].map(([name, read]) => {
    const data = Buffer.from(read());
    data.writeUInt16BE(52, 6);
    return { name: `${name}.class`, data };
  });
  writeFileSync(join(work, 'java8.jar'), zip(library));
  writeFileSync(join(work, 'rules.pro'), rules);
  const config = [
    `-injars ${jar}(!META-INF/**)`,
    `-injars ${tests}(!dev/**)`,
    `-outjars ${join(work, 'shrunk.jar')}`,
    `-libraryjars ${join(work, 'java8.jar')}`,
    `-include ${join(work, 'rules.pro')}`,
    '-keep public class PhoneMain { public static void main(java.lang.String[]); }',
  ];
  writeFileSync(join(work, 'app.pro'), config.join('\n'));
  const { status, stdout } = spawnSync(shrinker ?? '', [...shrinkerArgs, `@${join(work, 'app.pro')}`]);
  if (status !== 0) throw new Error(String(stdout));
  renameSync(join(work, 'shrunk.jar'), shrunk);
  rmSync(work, { recursive: true });
  return shrunk;
}

export function defaultPath(): string {
  const { jar, tests } = builtJava();
  return `${jar}${delimiter}${tests}`;
}
