import { quoted } from '../../terminal/shell-words.ts';
import { allNodes, askedKinds, type CommandNode, type Value } from './tree.ts';

/** Works with bash 3.2, which macOS has, without the package bash-completion. */
export function bashScript(root: CommandNode, self: readonly string[]): string {
  const nodes = allNodes(root);
  return `# Completion of detent for bash: source <(detent completion bash)

${ask(self)}

# $1: the commands so far. Sets what may follow them.
_detent_spec() {
  commands='' flags=''
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

# Sets words to the words up to the cursor. Bash takes them apart at = : @ too, and so does not see --flag=value.
_detent_words() {
  local line=\${COMP_LINE:0:COMP_POINT} word lead i
  words=()
  for ((i = 0; i <= COMP_CWORD; i++)); do
    word=\${COMP_WORDS[i]}
    lead=\${line%%[![:space:]]*}
    line=\${line#"$lead"}
    ((i == COMP_CWORD)) && word=$line
    chunk=$word
    if ((i > 0)) && [[ -z $lead ]]; then
      words[\${#words[@]}-1]+=$word
    else
      words[\${#words[@]}]=$word
    fi
    line=\${line#"$word"}
  done
  [[ -n $chunk && -z \${chunk//["$COMP_WORDBREAKS"]/} ]] && chunk=''
}

# $1: what may stand here; $2: what stands before it in the same word; $3: what is typed of it.
_detent_offer() {
  local word
  case $1 in
    files | folders)
      compopt -o filenames 2>/dev/null
      local head=$2 typed=$3 action=-f
      [[ $1 == folders ]] && action=-d
      # --system @FILE
      [[ $typed == @* ]] && head+=@ typed=\${typed#@}
      while IFS= read -r word; do
        _detent_add "$head$word"
      done < <(compgen "$action" -- "$typed")
      ;;
    choices\\ *)
      for word in \${1#choices }; do
        [[ $word == "$3"* ]] && _detent_add "$2$word"
      done
      ;;
    ${askedKinds.join(' | ')})
      while IFS=$'\\t' read -r word _; do
        [[ $word == "$3"* ]] && _detent_add "$2$(printf %q "$word")"
      done < <(_detent_ask "$1" "\${words[@]:1}")
      ;;
  esac
}

# Bash replaces only what follows the last place where it took the word apart.
_detent_add() {
  COMPREPLY[\${#COMPREPLY[@]}]=\${1#"\${cur%"$chunk"}"}
}

_detent() {
  local words chunk cur word at='' flag='' ended='' position=0 commands flags kind i last
  COMPREPLY=()
  _detent_words
  last=$((\${#words[@]} - 1))
  cur=\${words[last]}
  for ((i = 1; i < last; i++)); do
    word=\${words[i]}
    _detent_spec "$at"
    if [[ -n $ended ]]; then
      ((position++))
    elif [[ $word == -- ]]; then
      ended=1
    elif [[ $word == -* ]]; then
      [[ $word == *=* ]] && continue
      _detent_kind "$at" "$word"
      [[ -z $kind ]] && continue
      ((++i == last)) && flag=$word
    elif ((position == 0)) && [[ " $commands " == *" $word "* ]]; then
      at="\${at:+$at }$word"
    else
      ((position++))
    fi
  done
  _detent_spec "$at"
  if [[ -n $flag ]]; then
    _detent_kind "$at" "$flag"
    _detent_offer "$kind" '' "$cur"
  elif [[ -z $ended && $cur == --*=* ]]; then
    _detent_kind "$at" "\${cur%%=*}"
    _detent_offer "$kind" "\${cur%%=*}=" "\${cur#*=}"
  elif [[ -z $ended && $cur == -* ]]; then
    _detent_offer "choices $flags" '' "$cur"
  elif [[ -n $commands ]]; then
    ((position == 0)) && _detent_offer "choices $commands" '' "$cur"
  else
    _detent_kind "$at" $((position + 1))
    _detent_offer "$kind" '' "$cur"
  fi
}

complete -F _detent detent
`;
}

/** Calls the `detent` on PATH; without one (an alias) the program that printed the script. */
function ask(self: readonly string[]): string {
  return `_detent_ask() {
  if type -P detent >/dev/null; then
    detent __complete "$@" 2>/dev/null
  else
    ${self.map(quoted).join(' ')} __complete "$@" 2>/dev/null
  fi
}`;
}

function spec({ path, commands, options }: CommandNode): string {
  const names = commands.map((child) => child.path.at(-1) ?? '').join(' ');
  const flags = options.map(({ names: [long] }) => long).join(' ');
  return `    ${quoted(path.join(' '))}) commands=${quoted(names)} flags=${quoted(flags)} ;;`;
}

/** Branches of a `case` that set `kind`, for bash and zsh. */
export function kindCases({ path, options, arguments: values }: CommandNode): string[] {
  const at = path.join(' ');
  const line = (place: string, value: Value) =>
    `    ${quoted(`${at} ${place}`)}) kind=${quoted(kindOf(value))} ;;`;
  return [
    ...options.flatMap(({ names, value }) => (value === null ? [] : names.map((name) => line(name, value)))),
    ...values.map((value, i) => line(String(i + 1), value)),
  ];
}

/** The kind as one word; `choices` is followed by the choices. */
function kindOf(value: Value): string {
  return value.kind === 'choices' ? `choices ${value.choices.join(' ')}` : value.kind;
}
