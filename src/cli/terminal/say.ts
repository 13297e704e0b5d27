import { DetentError, messageOf } from '../../protocol/error.ts';

/** Data: what a pipe gets. */
export function out(text: string): void {
  process.stdout.write(text);
}

/** A line for people on stderr, whatever `--quiet` says: it is about what went wrong or must be done. */
export function say(text: string): void {
  toPeople(printable(text));
}

let toPeople = toStderr;

function toStderr(text: string): void {
  process.stderr.write(`${text}\n`);
}

/** Lets what is said go to whoever draws on the terminal; answers how to end that. */
export function divertSaid(to: (text: string) => void): () => void {
  toPeople = to;
  return () => {
    toPeople = toStderr;
  };
}

const said = new WeakSet<object>();

/** Says an error, the first time that it comes by: the engine may report what the caller gets thrown, too. */
export function complain(error: unknown): void {
  if (typeof error === 'object' && error !== null) {
    if (said.has(error)) return;
    said.add(error);
  }
  say(`detent: ${messageOf(error)}`);
  if (process.env.DETENT_DEBUG && error instanceof Error) say(String(error.stack));
  else if (!DetentError.is(error)) say('detent: set DETENT_DEBUG=1 to see where this comes from');
}

// Escape sequences, and marks that turn the direction of text, can make a terminal show other words than there are.
const controls = /[\p{Cc}\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/gu;

/** Text from models, tools and servers, with everything spelled out that a terminal would obey. */
export function printable(text: string): string {
  return text.replaceAll(controls, (character) =>
    character === '\n' || character === '\t'
      ? character
      : `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}
