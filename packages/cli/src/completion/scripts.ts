/**
 * What each shell runs to ask `tutti complete SHELL -- WORD …`, whose last word is the one being typed. The answer has
 * a candidate a line, with its description after a tab, or `:files` where the shell completes names of files itself.
 */
export const completionScripts = {
  bash: `# source <(tutti completion bash)
_tutti() {
  local value description
  COMPREPLY=()
  while IFS=$'\\t' read -r value description; do
    if [[ $value == :files ]]; then
      compopt -o default 2>/dev/null
      return
    fi
    printf -v value %q "$value"
    COMPREPLY+=("$value")
  done < <("\${1/#\\~/$HOME}" complete bash -- "\${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null)
}
complete -F _tutti tutti
`,
  zsh: `#compdef tutti
# source <(tutti completion zsh), or write it to a file _tutti in a folder of $fpath
_tutti() {
  local value description
  local -a candidates
  while IFS=$'\\t' read -r value description; do
    if [[ $value == :files ]]; then
      _files
      return
    fi
    candidates+=("\${value//:/\\\\:}:$description")
  done < <("\${words[1]/#\\~/$HOME}" complete zsh -- "\${(@)words[2,CURRENT]}" 2>/dev/null)
  _describe -V tutti candidates
}
if [[ \${funcstack[1]-} == _tutti ]]; then _tutti "$@"; else compdef _tutti tutti; fi
`,
  fish: `# tutti completion fish | source
function __tutti_complete
    set -l words (commandline -opc)
    set -l typed (commandline -ct)
    test -z "$typed"; and set typed ''
    set -l lines (command $words[1] complete fish -- $words[2..-1] $typed 2>/dev/null)
    if test "$lines[1]" = :files
        __fish_complete_path $typed
    else if test (count $lines) -gt 0
        printf '%s\\n' $lines
    end
end
complete -c tutti -f -k -a '(__tutti_complete)'
`,
} as const

export type Shell = keyof typeof completionScripts
export const shells = Object.keys(completionScripts) as readonly Shell[]
