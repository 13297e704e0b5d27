/**
 * Builds the Java client as a Maven repository wants it: jar, sources, javadoc and POM, with checksums. Needs a JDK, 11 or later.
 *
 *     node scripts/build-java.ts           # into clients/java/target
 *     node scripts/build-java.ts FOLDER
 */
import { execFileSync, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { globSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { type Entry, zip } from './build/zip.ts';

const root = resolve(import.meta.dirname, '..');
const client = join(root, 'clients/java');
const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { version: string };

export const javaSources: readonly string[] = globSync('src/main/java/**/*.java', { cwd: client })
  .sort()
  .map((file) => join(client, file));

/** Why the client cannot be built here; null where it can. */
export const noJdk = spawnSync('javac', ['-version']).status === 0 ? null : 'no JDK';

/** Compiles for Java 8: the compiler knows what that has. @param jar what the sources use */
export function compileJava(sources: readonly string[], into: string, jar?: string): void {
  const options = ['--release', '8', '-encoding', 'UTF-8', '-Xlint:all', '-Xlint:-options', '-Werror'];
  if (jar !== undefined) options.push('-cp', jar);
  execFileSync('javac', [...options, '-d', into, ...sources], { stdio: ['ignore', 'inherit', 'inherit'] });
}

/** The jar of the client, of a folder with its classes. */
export function jarOf(classes: string): Buffer {
  return zip([
    manifest(),
    { name: 'META-INF/LICENSE', data: readFileSync(join(root, 'LICENSE')) },
    ...filesOf(join(client, 'src/main/resources')),
    ...filesOf(classes).filter(({ name }) => name.startsWith('dev/detent/')),
  ]);
}

function manifest(): Entry {
  const lines = ['Manifest-Version: 1.0', 'Automatic-Module-Name: dev.detent.client', ''];
  return { name: 'META-INF/MANIFEST.MF', data: Buffer.from(lines.join('\r\n')) };
}

function filesOf(folder: string): Entry[] {
  const names = globSync('**/*.*', { cwd: folder }).sort();
  return names.map((name) => ({ name, data: readFileSync(join(folder, name)) }));
}

function build(into: string): void {
  if (noJdk !== null) throw new Error(`${noJdk}: install one, such as openjdk-17-jdk-headless`);
  const folder = join(into, 'repository/dev/detent/detent-client', version);
  const work = mkdtempSync(join(tmpdir(), 'detent-java-'));
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  compileJava(javaSources, join(work, 'classes'));
  const docs = ['-quiet', '-Xdoclint:none', '--release', '8', '-encoding', 'UTF-8', '-notimestamp'];
  const paths = ['-sourcepath', join(client, 'src/main/java'), '-d', join(work, 'javadoc')];
  execFileSync('javadoc', [...docs, ...paths, 'dev.detent', 'dev.detent.wire'], {
    stdio: ['ignore', 'inherit', 'inherit'],
  });
  const pom = readFileSync(join(client, 'pom.xml'), 'utf8').replace('VERSION', version);
  const made: Record<string, Buffer> = {
    '.jar': jarOf(join(work, 'classes')),
    '-sources.jar': zip([manifest(), ...filesOf(join(client, 'src/main/java'))]),
    '-javadoc.jar': zip([manifest(), ...filesOf(join(work, 'javadoc'))]),
    '.pom': Buffer.from(pom),
  };
  for (const [end, bytes] of Object.entries(made)) {
    const file = join(folder, `detent-client-${version}${end}`);
    writeFileSync(file, bytes);
    for (const hash of ['md5', 'sha1', 'sha256'])
      writeFileSync(`${file}.${hash}`, createHash(hash).update(bytes).digest('hex'));
    console.log(`${file}  ${bytes.length} bytes`);
  }
  rmSync(work, { recursive: true });
}

if (import.meta.main) build(resolve(process.argv[2] ?? join(client, 'target')));
