import { quoted } from '../../terminal/shell-words.ts';
import { kindCases } from './bash.ts';
import { allNodes, askedKinds, type CommandNode } from './tree.ts';

/** For `source <(…)`, and as a file `_detent` in a folder of `$fpath`. */
export function zshScript(root: CommandNode, self: readonly string[]): string {
  const nodes = allNodes(root);
  return `#compdef detent
# Completion of detent for zsh: source <(detent completion zsh)

_detent_ask() {
  if whence -p detent >/dev/null; then
    command detent __complete "$@" 2>/dev/null
  else
    ${self.map(quoted).join(' ')} __complete "$@" 2>/dev/null
  fi
}

# $1: the commands so far. Sets what may follow them, with what it is for.
_detent_spec() {
  subcommands=() flags=()
  case $1 in
${nodes.map(spec).join('\n')}
  esac
}

# $1: the commands so far; $2: an option, or the number of an argument. Sets what may stand there.
_detent_kind() {
  kind=''
  case "$1 $2" in
${nodes.flatMap(kindCases).join('\n')}
  esac
}

_detent_offer() {
  local -a found
  local line
  case $1 in
    files) compset -P '@'; _files ;;
    folders) _files -/ ;;
    choices\\ *) found=(\${(s: :)\${1#choices }}); compadd -a found ;;
    ${askedKinds.join('|')})
      for line in \${(f)"$(_detent_ask $1 "\${(Q)words[@]:1}")"}; do
        found+=("\${\${line%%$'\\t'*}//:/\\\\:}:\${line#*$'\\t'}")
      done
      # The newest first, as they come.
      _describe -V $1 found
      ;;
  esac
}

_detent() {
  local at='' flag='' ended='' kind='' word
  local -a subcommands flags
  integer i position=0
  for ((i = 2; i < CURRENT; i++)); do
    word=\${(Q)words[i]}
    _detent_spec "$at"
    if [[ -n $ended ]]; then
      ((position++))
    elif [[ $word == -- ]]; then
      ended=1
    elif [[ $word == -* ]]; then
      [[ $word == *=* ]] && continue
      _detent_kind "$at" "$word"
      [[ -z $kind ]] && continue
      ((++i == CURRENT)) && flag=$word
    elif ((position == 0)) && [[ -n \${subcommands[(r)\${(b)word}:*]} ]]; then
      at="\${at:+$at }$word"
    else
      ((position++))
    fi
  done
  _detent_spec "$at"
  if [[ -n $flag ]]; then
    _detent_kind "$at" "$flag"
    _detent_offer "$kind"
  elif [[ -z $ended && $PREFIX == --*=* ]]; then
    _detent_kind "$at" "\${PREFIX%%=*}"
    compset -P 1 '*='
    _detent_offer "$kind"
  elif [[ -z $ended && $PREFIX == -* ]]; then
    _describe option flags
  elif ((\${#subcommands})); then
    ((position == 0)) && _describe command subcommands
  else
    _detent_kind "$at" $((position + 1))
    _detent_offer "$kind"
  fi
}

if [[ $funcstack[1] == _detent ]]; then
  _detent "$@"
elif ((\${+functions[compdef]})); then
  compdef _detent detent
else
  print -u2 'detent: completion needs compinit before it: autoload -Uz compinit && compinit'
fi
`;
}

function spec({ path, commands, options }: CommandNode): string {
  const list = (entries: [name: string, about: string][]) =>
    entries.map(([name, about]) => quoted(`${name.replaceAll(':', '\\:')}:${about}`)).join(' ');
  const subcommands = list(commands.map((child) => [child.path.at(-1) ?? '', child.about]));
  const flags = list(options.map(({ names, about }) => [names[0] ?? '', about]));
  return `    ${quoted(path.join(' '))})\n      subcommands=(${subcommands})\n      flags=(${flags}) ;;`;
}
