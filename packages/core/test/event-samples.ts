/** Valid events of every type, made from the schema that defines them: a new type or field cannot be forgotten. */
import schema from '../../../schema/event.schema.json' with { type: 'json' }

interface Node {
  readonly $ref?: string
  readonly const?: unknown
  readonly enum?: readonly unknown[]
  readonly anyOf?: readonly Node[]
  readonly oneOf?: readonly Node[]
  readonly type?: string
  readonly properties?: Readonly<Record<string, Node>>
  readonly required?: readonly string[]
  readonly items?: Node
}

export type EventSample = Readonly<Record<string, unknown>> & { readonly type: string }

const DEFINITIONS = schema.$defs as unknown as Readonly<Record<string, Node>>
/** Used where any value is allowed. */
const OPEN = { a: [1, 'x'] }

const TS = '2026-11-16T00:00:00.000Z'

const resolve = (node: Node): Node => {
  if (node.$ref === undefined) return node
  const found = DEFINITIONS[node.$ref.replace('#/$defs/', '')]
  if (!found) throw new Error(`The schema has no ${node.$ref}.`)
  return resolve(found)
}

/** A value with everything that may be in it, then one for each further form of its parts. */
function samplesOf(given: Node, name = ''): readonly unknown[] {
  const node = resolve(given)
  if (node.const !== undefined) return [node.const]
  if (node.enum) return node.enum
  const forms = node.anyOf ?? node.oneOf
  if (forms) return forms.flatMap(form => samplesOf(form, name))
  switch (node.type) {
    case 'object':
      return node.properties ? objectsOf(node.properties) : [{ a: 1 }]
    case 'array':
      return [samplesOf(node.items ?? {})]
    case 'string':
      return [name === 'ts' || name.endsWith('_at') || name === 'deadline' ? TS : name]
    case 'number':
    case 'integer':
      return [1]
    case 'boolean':
      return [true]
    default:
      return [OPEN]
  }
}

function objectsOf(properties: Readonly<Record<string, Node>>): readonly unknown[] {
  const each = Object.entries(properties).map(([name, node]) => [name, samplesOf(node, name)] as const)
  const whole = Object.fromEntries(each.map(([name, samples]) => [name, samples[0]]))
  return [
    whole,
    ...each.flatMap(([name, samples]) => samples.slice(1).map(one => ({ ...whole, [name]: one }))),
  ]
}

const types = schema.oneOf.map(({ $ref }) => $ref.replace('#/$defs/', ''))

/** Events with every field, in every form. */
export const WHOLE_EVENTS: readonly EventSample[] = types.flatMap(
  type => samplesOf({ $ref: `#/$defs/${type}` }) as readonly EventSample[],
)

/** Events with the fields that they must have and no others. */
export const BARE_EVENTS: readonly EventSample[] = types.map(type => {
  const { required = [] } = DEFINITIONS[type] ?? {}
  const [whole = {}] = samplesOf({ $ref: `#/$defs/${type}` }) as readonly EventSample[]
  return Object.fromEntries(
    Object.entries(whole).filter(([name]) => required.includes(name)),
  ) as unknown as EventSample
})
