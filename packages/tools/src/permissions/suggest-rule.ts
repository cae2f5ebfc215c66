/** The one rule to offer beside "allow": as narrow as it can be and still be worth remembering. */
import { dirname } from 'node:path'
import type { PermissionRequest } from './permission-request.ts'

/** Programs whose first argument says what they do. A prefix of any other could allow anything at all. */
const WITH_SUBCOMMAND =
  /^(git|npm|pnpm|yarn|cargo|go|docker|kubectl|pip|uv|bun|deno|make|gh|terraform|systemctl|brew|apt)$/

/** `part` is the sub-command that asks, as rules that allow see it. Undefined when no rule would be narrow. */
export function suggestRule(request: PermissionRequest, part?: string): string | undefined {
  const { subject, tool } = request
  switch (subject.type) {
    case 'command':
      return part === undefined || part === '' ? undefined : ofCommand(tool, part)
    case 'path':
      return subject.write ? `Edit(${dirname(subject.path)}/**)` : `Read(${dirname(subject.path)}/**)`
    case 'url': {
      const host = URL.parse(subject.url)?.hostname
      return host ? `${tool}(domain:${host})` : undefined
    }
    case 'tool':
      return tool
  }
}

/** A star of the command would be any text in a rule. */
function ofCommand(tool: string, part: string): string | undefined {
  const pattern = commandPattern(part)
  return pattern === part && part.includes('*') ? undefined : `${tool}(${pattern})`
}

function commandPattern(command: string): string {
  const [program = '', sub = ''] = command.split(/\s+/)
  if (/[$`<>|;&(){}]/.test(command)) return command
  if (WITH_SUBCOMMAND.test(program) && /^[a-z][\w:-]*$/.test(sub)) {
    const script = /^(run|exec)$/.test(sub) ? command.split(/\s+/)[2] : undefined
    return script && /^[\w:.-]+$/.test(script) ? `${program} ${sub} ${script}:*` : `${program} ${sub}:*`
  }
  return command
}
