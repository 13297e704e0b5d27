import type { CommandNode, Value } from './tree.ts';

/** A candidate, and what it is for. */
export type Offer = readonly [word: string, about: string];

/** What may stand at the cursor. */
export interface Place {
  /** Words of the program, with what they are for; or a kind of value. */
  offered: Value | { kind: 'words'; words: readonly Offer[] };
  /** What stands before it in the same word: `--db=`, or `@` before a file. */
  head: string;
}

/** @param words what is typed behind the name of the program; the last is the one at the cursor, empty before it begins. */
export function findPlace(root: CommandNode, words: readonly string[]): Place {
  const current = words.at(-1) ?? '';
  let node = root;
  let position = 0;
  let isEnded = false;
  for (let i = 0; i < words.length - 1; i++) {
    const word = words[i] ?? '';
    const child =
      position === 0 && !isEnded ? node.commands.find(({ path }) => path.at(-1) === word) : undefined;
    if (isEnded) position++;
    else if (word === '--') isEnded = true;
    else if (word.startsWith('-')) {
      const value = valueAfter(node, word);
      // The next word is its value.
      if (value && ++i === words.length - 1) return at(value, '', current);
    } else if (child) node = child;
    else position++;
  }
  const [, flag = '', typed = ''] = /^(--[^=]*)=(.*)$/s.exec(current) ?? [];
  if (!isEnded && flag !== '') return at(valueAfter(node, flag), `${flag}=`, typed);
  if (!isEnded && current.startsWith('-')) {
    const flags = node.options.map(({ names: [long = ''], about }) => [long, about] as const);
    return { offered: { kind: 'words', words: flags }, head: '' };
  }
  if (node.commands.length > 0) {
    const commands = node.commands.map(({ path, about }) => [path.at(-1) ?? '', about] as const);
    return { offered: { kind: 'words', words: position === 0 ? commands : [] }, head: '' };
  }
  return at(node.arguments[position], '', current);
}

/** What an option takes; undefined for a switch, and for an option that the command does not have. */
function valueAfter({ options }: CommandNode, name: string): Value | undefined {
  return options.find(({ names }) => names.includes(name))?.value ?? undefined;
}

function at(offered: Value = { kind: 'anything' }, head: string, typed: string): Place {
  // --system @FILE
  return { offered, head: offered.kind === 'files' && typed.startsWith('@') ? `${head}@` : head };
}
