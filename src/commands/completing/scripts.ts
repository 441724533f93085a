/** Completion scripts. They call `gateway complete`, so they fit every version. */
export const scripts = {
  bash: `_gateway() {
  local IFS=$'\\n'
  COMPREPLY=($(gateway complete "\${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null | cut -f1))
}
complete -o default -F _gateway gateway`,
  zsh: `#compdef gateway
_gateway() {
  local -a found
  local name about
  while IFS=$'\\t' read -r name about; do
    found+=("\${name//:/\\\\:}\${about:+:$about}")
  done < <(gateway complete "\${(@)words[2,CURRENT]}" 2>/dev/null)
  if (( $#found )); then _describe gateway found; else _files; fi
}
if [[ $funcstack[1] == _gateway ]]; then _gateway "$@"; else compdef _gateway gateway; fi`,
  fish: `complete -c gateway -e
complete -c gateway -f -a '(gateway complete (commandline -opc)[2..] (commandline -ct) 2>/dev/null)'`
} as const
