"""`pqexplore completion SHELL`: a script that makes Tab complete verbs, options, views, columns and addresses."""

from __future__ import annotations

import argparse

from pqexplore.cli.out import DONE, Out

BASH = """\
_pqexplore() {
    local word
    COMPREPLY=()
    while IFS=$'\\t' read -r word _; do
        COMPREPLY+=("$(printf '%q' "$word")")
    done < <(pqexplore __complete "${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null)
    [[ ${COMPREPLY[0]} == */ ]] && compopt -o nospace 2>/dev/null
    return 0
}
complete -o bashdefault -o default -F _pqexplore pqexplore
"""

ZSH = """\
#compdef pqexplore
_pqexplore() {
    local -a found
    found=("${(@f)$(pqexplore __complete "${(@)words[2,CURRENT]}" 2>/dev/null)}")
    if [[ -n ${found[1]} ]]; then
        compadd -S '' -- "${(@)found%%$'\\t'*}"
    else
        _files
    fi
}
compdef _pqexplore pqexplore
"""

FISH = """\
function __pqexplore_complete
    set -l words (commandline -opc) (commandline -ct)
    pqexplore __complete $words[2..] 2>/dev/null
end
complete -c pqexplore -a '(__pqexplore_complete)'
"""

SCRIPTS = {"bash": BASH, "zsh": ZSH, "fish": FISH}

DESCRIPTION = """\
Print a script that completes pqexplore's words with Tab: verbs, options, views; the columns and addresses of the file in
the line. To use it now and in each new shell:

  bash   pqexplore completion bash > ~/.local/share/bash-completion/completions/pqexplore
  zsh    source <(pqexplore completion zsh)      in ~/.zshrc, after compinit
  fish   pqexplore completion fish > ~/.config/fish/completions/pqexplore.fish"""


def add_options(made: argparse.ArgumentParser) -> None:
    """Add the arguments of the verb that are its own."""
    made.add_argument("shell", choices=SCRIPTS, help="which shell")


def run(asked: argparse.Namespace, out: Out) -> int:
    """Run the verb. Returns the exit status."""
    out.write(SCRIPTS[asked.shell])
    return DONE
