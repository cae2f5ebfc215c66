/**
 * Names of tools on the far side. The vendor's program prefixes the tools of an in-process server
 * and replaces characters it does not like, by which two names may become one; so names are made
 * legal here first, and mapped back when the model uses them.
 */

/** The in-process server that offers Toolwire's and the client's tools. */
export const GATEWAY = 'gateway'
const PREFIX = `mcp__${GATEWAY}__`
const LEGAL = /^[A-Za-z0-9_-]{1,100}$/
const MAX = 100

export interface ToolNames {
  /** The name under which the gateway server lists a tool. */
  readonly toGateway: (name: string) => string
  /** The full name that the model uses. */
  readonly toModel: (name: string) => string
  /** Toolwire's name for what the model used; the name itself when it is no gateway tool. */
  readonly fromModel: (name: string) => string
}

/** Legal names stay as they are; others never take a name that is already there. Depends on the set of names alone. */
export function createToolNames(names: readonly string[]): ToolNames {
  const legal = names.filter(name => LEGAL.test(name))
  const taken = new Set(legal)
  const forward = new Map(legal.map(name => [name, name]))
  for (const name of names.filter(one => !LEGAL.test(one)).toSorted()) {
    const free = firstFree(name, taken)
    taken.add(free)
    forward.set(name, free)
  }
  const back = new Map([...forward].map(([name, legalName]) => [legalName, name]))
  const toGateway = (name: string): string => forward.get(name) ?? legalised(name, MAX)
  return {
    toGateway,
    toModel: name => PREFIX + toGateway(name),
    fromModel(name) {
      if (!isGatewayName(name)) return name
      const bare = name.slice(PREFIX.length)
      return back.get(bare) ?? bare
    },
  }
}

export const isGatewayName = (name: string): boolean => name.startsWith(PREFIX)

function firstFree(name: string, taken: ReadonlySet<string>): string {
  for (let n = 1; ; n++) {
    const suffix = n === 1 ? '' : `_${n}`
    const candidate = legalised(name, MAX - suffix.length) + suffix
    if (!taken.has(candidate)) return candidate
  }
}

const legalised = (name: string, length: number): string =>
  name.replaceAll(/[^A-Za-z0-9_-]/g, '_').slice(0, length) || '_'
