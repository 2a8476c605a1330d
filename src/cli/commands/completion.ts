/** chandler completion: scripts for shells, which ask the program itself for words. */
import { Argument, type Command } from 'commander'
import { add, type CommandRow, rootCommand } from '../command.ts'
import { wordsAfter } from '../completing.ts'
import { print } from '../terminal.ts'

const shells = ['bash', 'zsh', 'fish'] as const
type Shell = (typeof shells)[number]

export function register(program: Command, table: readonly CommandRow[]): void {
  add(program, {
    usage: 'completion',
    summary: 'Print a completion script for your shell',
    examples: [
      'completion bash > /etc/bash_completion.d/chandler',
      'completion zsh > ~/.zsh/completions/_chandler',
      'completion fish > ~/.config/fish/completions/chandler.fish',
    ],
  })
    .addArgument(new Argument('<shell>', 'which shell').choices([...shells, 'words']))
    .argument('[words...]')
    .allowUnknownOption()
    .action(async (shell: Shell | 'words', words: readonly string[]) => {
      if (shell === 'words') {
        for (const word of await wordsAfter(words, table, rootCommand(''))) print(word)
      } else print(scripts[shell])
    })
}

const scripts: Readonly<Record<Shell, string>> = {
  bash: `# Completion of chandler for bash.
_chandler() {
  local current="\${COMP_WORDS[COMP_CWORD]}"
  local before=("\${COMP_WORDS[@]:1:COMP_CWORD-1}")
  COMPREPLY=($(compgen -W "$(chandler completion words -- "\${before[@]}" 2>/dev/null)" -- "$current"))
}
complete -o default -F _chandler chandler`,
  zsh: `#compdef chandler
_chandler() {
  local -a words_after
  words_after=(\${(f)"$(chandler completion words -- "\${(@)words[2,CURRENT-1]}" 2>/dev/null)"})
  compadd -a words_after
}
compdef _chandler chandler`,
  fish: `# Completion of chandler for fish.
function __chandler_words
  set -l typed (commandline -opc)
  chandler completion words -- $typed[2..-1] 2>/dev/null
end
complete -c chandler -f -a '(__chandler_words)'`,
}
