import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

/** What notes are made of, and what is asked of them. */
export interface Material {
  sentences: readonly string[];
  questions: readonly string[];
}

const maxQuestions = 300;
const perFile = 50;

/** All sentences of some sets, and an even choice of their questions. */
export async function materialOf(sets: string): Promise<Material> {
  const sentences: string[] = [];
  const questions: string[] = [];
  const entries = await readdir(sets, { withFileTypes: true, recursive: true });
  const paths = entries.map((entry) => join(entry.parentPath, entry.name)).sort();
  for (const path of paths) {
    if (path.endsWith('queries.jsonl'))
      for (const line of (await readFile(path, 'utf8')).split('\n').filter((each) => each !== ''))
        questions.push((JSON.parse(line) as { query: string }).query);
    if (path.endsWith('.md'))
      sentences.push(
        ...(await readFile(path, 'utf8')).split(/(?<=[.!?。！？])\s*/).filter((each) => each.length > 8),
      );
  }
  const every = Math.max(1, questions.length / maxQuestions);
  return {
    sentences,
    questions: questions.filter((_, i) => Math.floor(i / every) > Math.floor((i - 1) / every)),
  };
}

/**
 * Writes notes that come to about so many chunks: paragraphs of about one each, of sentences that a fixed sequence picks,
 * fifty a file. So every word is in far more chunks than in real notes, which makes searching them harder.
 *
 * @returns their size in bytes.
 */
export async function writeNotes(
  folder: string,
  sentences: readonly string[],
  chunks: number,
): Promise<number> {
  await mkdir(folder, { recursive: true });
  let bytes = 0;
  let seed = 7;
  const pick = () => {
    seed = (Math.imul(seed, 1_664_525) + 1_013_904_223) >>> 0;
    return sentences[seed % sentences.length] ?? '';
  };
  for (let n = 0; n < chunks / perFile; n++) {
    const paragraphs = Array.from({ length: perFile }, () => {
      let text = '';
      while (text.length < (/\p{Script=Han}/u.test(text) ? 480 : 1_500)) text += `${pick()} `;
      return text;
    });
    const text = `# Note ${n}\n\n${paragraphs.join('\n\n')}\n`;
    await writeFile(join(folder, `${n}.md`), text);
    bytes += Buffer.byteLength(text);
  }
  return bytes;
}
