import { fishQuoted } from '../../terminal/shell-words.ts';
import { allNodes, type CommandNode, type OptionNode, type Value } from './tree.ts';

export function fishScript(root: CommandNode, self: readonly string[]): string {
  const nodes = allNodes(root);
  const valued = nodes.flatMap(({ path, options }) =>
    options
      .filter(({ value }) => value !== null)
      .flatMap(({ names }) => names.map((name) => fishQuoted([...path, name].join(' ')))),
  );
  const paths = nodes.slice(1).map(({ path }) => fishQuoted(path.join(' ')));
  return `# Completion of detent for fish: detent completion fish | source

function __detent_ask
    set -l words (commandline -opc) (commandline -ct)
    if type -fq detent
        command detent __complete $argv $words[2..-1] 2>/dev/null
    else
        ${self.map(fishQuoted).join(' ')} __complete $argv $words[2..-1] 2>/dev/null
    end
end

# Whether the commands so far are $argv[1], with $argv[2] arguments behind them; without a number, with any.
function __detent_at
    set -l valued ${valued.join(' ')}
    set -l paths ${paths.join(' ')}
    set -l at
    set -l position 0
    set -l skip 0
    set -l ended 0
    set -l words (commandline -opc)
    for word in $words[2..-1]
        if test $skip = 1
            set skip 0
        else if test $ended = 1
            set position (math $position + 1)
        else if test "$word" = --
            set ended 1
        else if string match -q -- '-*' "$word"
            contains -- (string join ' ' -- $at "$word") $valued; and set skip 1
        else if test $position = 0; and contains -- (string join ' ' -- $at "$word") $paths
            set at $at "$word"
        else
            set position (math $position + 1)
        end
    end
    test "$at" = "$argv[1]"; or return 1
    test (count $argv) = 1; or test $position = $argv[2]
end

complete -c detent -e
complete -c detent -f
${nodes.flatMap(lines).join('\n')}
`;
}

function lines(node: CommandNode): string[] {
  const { path, commands, options, arguments: values } = node;
  const at = path.join(' ');
  return [
    ...commands.map((child) =>
      line(
        `__detent_at ${fishQuoted(at)} 0`,
        `-a ${fishQuoted(child.path.at(-1) ?? '')} -d ${fishQuoted(child.about)}`,
      ),
    ),
    ...options.map((option) => line(`__detent_at ${fishQuoted(at)}`, optionWords(option))),
    ...values.flatMap((value, i) => {
      const offered = valueWords(value);
      return offered === '' ? [] : [line(`__detent_at ${fishQuoted(at)} ${i}`, `-k ${offered}`)];
    }),
  ];
}

function line(condition: string, words: string): string {
  return `complete -c detent -n ${fishQuoted(condition)} ${words}`;
}

function optionWords({ names, about, value }: OptionNode): string {
  const spelt = names.map((name) => (name.startsWith('--') ? `-l ${name.slice(2)}` : `-s ${name.slice(1)}`));
  const offered = value === null ? [] : ['-r', valueWords(value)].filter((word) => word !== '');
  return [...spelt, ...offered, `-d ${fishQuoted(about)}`].join(' ');
}

/** Empty where any text may stand. */
function valueWords(value: Value): string {
  switch (value.kind) {
    case 'choices':
      return `-f -a ${fishQuoted(value.choices.join(' '))}`;
    case 'files':
      return '-F';
    case 'folders':
      return `-f -a '(__fish_complete_directories)'`;
    case 'anything':
      return '';
    default:
      return `-f -k -a ${fishQuoted(`(__detent_ask ${value.kind})`)}`;
  }
}
