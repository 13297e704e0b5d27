import { execFileSync } from 'node:child_process';
import { readFileSync, realpathSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { inflateRawSync } from 'node:zlib';

/** What a class file says of itself, and what it names of others. See https://docs.oracle.com/javase/specs/jvms/se17/html/jvms-4.html */
export interface ClassFile {
  name: string;
  /** 52 is Java 8. */
  version: number;
  parents: string[];
  /** `name descriptor` of its fields and methods. */
  members: Set<string>;
  classes: string[];
  uses: { owner: string; member: string }[];
  /** Whether it needs `java.lang.invoke`. */
  isDynamic: boolean;
}

type Constant = { tag: number; a: number; b: number; text: string };

export function readClass(bytes: Buffer): ClassFile {
  let at = 8;
  const u2 = () => {
    at += 2;
    return bytes.readUInt16BE(at - 2);
  };
  const constants: Constant[] = [{ tag: 0, a: 0, b: 0, text: '' }];
  const count = u2();
  while (constants.length < count) {
    const tag = bytes.readUInt8(at++);
    const one: Constant = { tag, a: 0, b: 0, text: '' };
    constants.push(one);
    if (tag === 1) {
      const length = u2();
      one.text = bytes.toString('utf8', at, at + length);
      at += length;
    } else if (tag === 5 || tag === 6) {
      at += 8;
      constants.push(one);
    } else if (tag === 15) at += 3;
    else {
      one.a = u2();
      if (![7, 8, 16, 19, 20].includes(tag)) one.b = u2();
    }
  }
  const get = (index: number) => constants[index] as Constant;
  const nameOf = (index: number) => get(get(index).a).text;
  const access = u2();
  void access;
  const name = nameOf(u2());
  const above = u2();
  const parents = above === 0 ? [] : [nameOf(above)];
  for (let left = u2(); left > 0; left--) parents.push(nameOf(u2()));
  const members = new Set<string>();
  for (const _ of ['fields', 'methods'])
    for (let left = u2(); left > 0; left--) {
      u2();
      members.add(`${get(u2()).text} ${get(u2()).text}`);
      for (let attributes = u2(); attributes > 0; attributes--) {
        at += 2;
        at += 4 + bytes.readUInt32BE(at);
      }
    }
  const uses = constants.flatMap(({ tag, a, b }) => {
    if (tag < 9 || tag > 11) return [];
    const { a: member, b: type } = get(b);
    return [{ owner: nameOf(a), member: `${get(member).text} ${get(type).text}` }];
  });
  const named = constants.flatMap(({ tag, a }) => (tag === 7 ? get(a).text : []));
  // Descriptors name what constants do not.
  const described = constants.flatMap(({ tag, text }) =>
    tag === 1 && /^[([BCDFIJSZL]/.test(text)
      ? [...text.matchAll(/L([\w/$]+);/g)].map(([, one = '']) => one)
      : [],
  );
  const isDynamic = constants.some(({ tag }) => tag >= 15 && tag <= 18);
  return {
    name,
    version: bytes.readUInt16BE(6),
    parents,
    members,
    classes: [...named, ...described],
    uses,
    isDynamic,
  };
}

/** The files of a zip archive. */
export function unzip(bytes: Buffer): Map<string, () => Buffer> {
  const files = new Map<string, () => Buffer>();
  const end = bytes.lastIndexOf('PK\x05\x06');
  let at = bytes.readUInt32LE(end + 16);
  for (let left = bytes.readUInt16LE(end + 10); left > 0; left--) {
    const [method, size] = [bytes.readUInt16LE(at + 10), bytes.readUInt32LE(at + 20)];
    const [name, extra, comment] = [28, 30, 32].map((place) => bytes.readUInt16LE(at + place)) as [
      number,
      number,
      number,
    ];
    const local = bytes.readUInt32LE(at + 42);
    const path = bytes.toString('utf8', at + 46, at + 46 + name);
    files.set(path, () => {
      const from = local + 30 + bytes.readUInt16LE(local + 26) + bytes.readUInt16LE(local + 28);
      const packed = bytes.subarray(from, from + size);
      return method === 0 ? packed : inflateRawSync(packed);
    });
    at += 46 + name + extra + comment;
  }
  return files;
}

/** The class files of the library of an older Java, as the compiler of the JDK knows it; empty where it knows none so old. */
export function javaLibrary(release: string): Map<string, () => Buffer> {
  const compiler = realpathSync(execFileSync('which', ['javac'], { encoding: 'utf8' }).trim());
  const files = unzip(readFileSync(join(dirname(compiler), '../lib/ct.sym')));
  const places = new Map<string, () => Buffer>();
  for (const [path, read] of files) {
    const [, releases = '', name = ''] = /^(\w+)\/(?:java\.\w+\/)?(java\/.+)\.sig$/.exec(path) ?? [];
    if (releases.includes(release)) places.set(name, read);
  }
  return places;
}
