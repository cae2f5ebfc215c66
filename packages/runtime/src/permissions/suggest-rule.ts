/** The one rule to offer beside "allow": as narrow as it can be and still be worth remembering. */
import { dirname } from 'node:path'
import type { PermissionRequest } from './permission-request.ts'

/** Programs whose first argument says what they do. */
const WITH_SUBCOMMAND =
  /^(git|npm|pnpm|yarn|cargo|go|docker|kubectl|pip|uv|bun|deno|make|gh|terraform|systemctl|brew|apt)$/
/** A prefix of these would allow anything at all. */
const NEVER_BY_PREFIX =
  /^(sudo|doas|su|env|sh|bash|zsh|xargs|eval|exec|python\d*|node|ruby|perl|find|ssh|rm|dd|curl|wget)$/

/** `part` is the sub-command that asks. Undefined when no rule would be narrow. */
export function suggestRule(request: PermissionRequest, part?: string): string | undefined {
  const { subject, tool } = request
  switch (subject.type) {
    case 'command':
      return part === undefined || part === '' ? undefined : `${tool}(${commandPattern(part)})`
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

function commandPattern(command: string): string {
  const [program = '', sub = ''] = command.split(/\s+/)
  if (NEVER_BY_PREFIX.test(program) || /[$`<>|;&(){}]/.test(command)) return command
  if (WITH_SUBCOMMAND.test(program) && /^[a-z][\w:-]*$/.test(sub)) {
    const script = /^(run|exec)$/.test(sub) ? command.split(/\s+/)[2] : undefined
    return script && /^[\w:.-]+$/.test(script) ? `${program} ${sub} ${script}:*` : `${program} ${sub}:*`
  }
  return command
}
