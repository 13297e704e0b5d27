import { fishQuoted, quoted } from '../../terminal/shell-word.ts';

/**
 * The scripts, by shell: each asks `detent __complete` with the words of the line up to the cursor. The first line of the
 * answer has what may stand there (`words`, `files` or `folders`) and what stands before it in the same word; each further
 * line has a word and what it is for. They call the `detent` on PATH; without one (an alias) the program that printed them.
 */
export const completionScripts: Readonly<Record<string, (self: readonly string[]) => string>> = {
  /** Works with bash 3.2, which macOS has, without the package bash-completion. */
  bash: (self) => `# Completion of detent for bash: source <(detent completion bash)

_detent_ask() {
  if type -P detent >/dev/null; then
    detent __complete "$@" 2>/dev/null
  else
    ${self.map(quoted).join(' ')} __complete "$@" 2>/dev/null
  fi
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

# Bash replaces only what follows the last place where it took the word apart.
_detent_add() {
  COMPREPLY[\${#COMPREPLY[@]}]=\${1#"\${cur%"$chunk"}"}
}

_detent() {
  local words chunk cur what head typed word action=-f
  COMPREPLY=()
  _detent_words
  cur=\${words[\${#words[@]}-1]}
  while IFS=$'\\t' read -r what head; do
    typed=\${cur#"$head"}
    if [[ $what == words ]]; then
      while IFS=$'\\t' read -r word _; do
        [[ $word == "$typed"* ]] && _detent_add "$head$(printf %q "$word")"
      done
    else
      [[ $what == folders ]] && action=-d
      compopt -o filenames 2>/dev/null
      while IFS= read -r word; do
        _detent_add "$head$word"
      done < <(compgen "$action" -- "$typed")
    fi
  done < <(_detent_ask "\${words[@]:1}")
}

complete -F _detent detent
`,

  /** For `source <(…)`, and as a file `_detent` in a folder of `$fpath`. */
  zsh: (self) => `#compdef detent
# Completion of detent for zsh: source <(detent completion zsh)

_detent_ask() {
  if whence -p detent >/dev/null; then
    command detent __complete "$@" 2>/dev/null
  else
    ${self.map(quoted).join(' ')} __complete "$@" 2>/dev/null
  fi
}

_detent() {
  local line what head
  local -a lines found
  lines=("\${(@f)$(_detent_ask "\${(@Q)words[2,CURRENT-1]}" "\${(Q)PREFIX}")}")
  what=\${lines[1]%%$'\\t'*} head=\${lines[1]#*$'\\t'}
  [[ -n $head ]] && compset -P "\${(b)head}"
  case $what in
    files) _files ;;
    folders) _files -/ ;;
    words)
      for line in "\${(@)lines[2,-1]}"; do
        found+=("\${\${line%%$'\\t'*}//:/\\\\:}:\${line#*$'\\t'}")
      done
      # In the order in which they come.
      _describe -V detent found
      ;;
  esac
}

if [[ $funcstack[1] == _detent ]]; then
  _detent "$@"
elif ((\${+functions[compdef]})); then
  compdef _detent detent
else
  print -u2 'detent: completion needs compinit before it: autoload -Uz compinit && compinit'
fi
`,

  fish: (self) => `# Completion of detent for fish: detent completion fish | source

function __detent_ask
    set -l words (commandline -opc) (commandline -ct)
    if type -fq detent
        command detent __complete $words[2..-1] 2>/dev/null
    else
        ${self.map(fishQuoted).join(' ')} __complete $words[2..-1] 2>/dev/null
    end
end

function __detent_offer
    set -l lines (__detent_ask)
    set -l first (string split \\t -- $lines[1])
    set -l head $first[2]
    set -l typed (string sub -s (math (string length -- "$head") + 1) -- (commandline -ct))
    switch "$first[1]"
        case files
            printf '%s\\n' $head(__fish_complete_path $typed)
        case folders
            printf '%s\\n' $head(__fish_complete_directories $typed)
        case words
            printf '%s\\n' $head$lines[2..-1]
    end
end

complete -c detent -e
complete -c detent -f -k -a '(__detent_offer)'
`,
};
