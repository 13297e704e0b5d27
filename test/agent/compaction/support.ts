import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { ModelRequest } from '../../../src/protocol/ports/chat-model.ts';
import { flushRequestPrefix, summaryRequestPrefix } from '../../../src/protocol/ports.ts';
import { type ScriptedAnswer, type ScriptedModel, scriptedModel } from '../../../src/testing/index.ts';

const lastWords = ({ messages }: ModelRequest) => messages.at(-1)?.text ?? '';

export const isSummary = (request: ModelRequest) => lastWords(request).startsWith(summaryRequestPrefix);
export const isFlush = (request: ModelRequest) => lastWords(request).startsWith(flushRequestPrefix);
export const isPrompt = (request: ModelRequest) => !isSummary(request) && !isFlush(request);

export const words = (chars: number, n: number) => `turn ${n} ${'lorem ipsum '.repeat(chars / 12)}`;

type Answer = (n: number, request: ModelRequest) => ScriptedAnswer | Promise<ScriptedAnswer>;

export interface Voices {
  /** To the user; `n` counts from 1. */
  answer?: Answer;
  summary?: Answer;
  flush?: Answer;
}

/** Answers every turn with many words, every request for a summary with a numbered one, and saves a numbered fact. */
export function talkative(voices: Voices = {}, maxAnswers = 400): ScriptedModel {
  const {
    answer = (_, request) => ({ text: words(2_000, request.messages.length) }),
    summary = (n) => ({ text: `SUMMARY ${n}` }),
    flush = (n) => ({ toolCalls: [{ name: 'memory_write', arguments: { lines: [`FACT ${n}`] } }] }),
  } = voices;
  const counts = { answers: 0, summaries: 0, flushes: 0 };
  const line = (request: ModelRequest) => {
    if (isFlush(request)) return flush(++counts.flushes, request);
    return isSummary(request) ? summary(++counts.summaries, request) : answer(++counts.answers, request);
  };
  return scriptedModel(Array.from({ length: maxAnswers }, () => line));
}

/** All that the memory files of a workspace say. */
export async function dayFiles(workspace: string): Promise<string> {
  const folder = join(workspace, 'memory');
  const files = await readdir(folder).catch(() => []);
  return (await Promise.all(files.map((file) => readFile(join(folder, file), 'utf8')))).join('');
}
