import type { Command } from 'commander'
import { CommandError, EXIT } from './output.ts'
import { say } from './phrases.ts'

/** Returns the words that may follow, by the commands typed so far. */
function wordsByPath(program: Command): Map<string, string[]> {
  const words = new Map<string, string[]>()
  const visit = (command: Command, path: string[]) => {
    const options = [...program.options, ...command.options].flatMap(({ long }) => long ?? [])
    const names = command.commands.map((one) => one.name())
    words.set(path.join(' '), [...names, ...new Set(options)])
    for (const one of command.commands) visit(one, [...path, one.name()])
  }
  visit(program, [])
  return words
}

/** Returns the script that completes the commands in a shell. */
export function completionScript(program: Command, shell: string): string {
  const cases = [...wordsByPath(program)]
  if (shell === 'bash' || shell === 'zsh') {
    const branches = cases.map(([path, words]) => `    "${path}") words="${words.join(' ')}" ;;`)
    const script = `_recado() {
  local path="" word words=""
  for word in "\${COMP_WORDS[@]:1:COMP_CWORD-1}"; do [[ $word == -* ]] || path="\${path:+$path }$word"; done
  case "$path" in
${branches.join('\n')}
  esac
  COMPREPLY=($(compgen -W "$words" -- "\${COMP_WORDS[COMP_CWORD]}"))
}
complete -F _recado recado
`
    return shell === 'bash' ? script : `autoload -U +X bashcompinit && bashcompinit\n${script}`
  }
  if (shell === 'fish') {
    const lines = cases.flatMap(([path, words]) => {
      const parts = path === '' ? [] : path.split(' ')
      const seen = parts.map((part) => `__fish_seen_subcommand_from ${part}`)
      const when = parts.length === 0 ? '__fish_use_subcommand' : seen.join('; and ')
      return `complete -c recado -f -n "${when}" -a "${words.join(' ')}"`
    })
    return `${lines.join('\n')}\n`
  }
  throw new CommandError(say.unknownShell(shell), EXIT.usage)
}
