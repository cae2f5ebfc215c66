/**
 * Tool names and call ids in the alphabet of a provider. Legal ones never change; others get a replacement derived
 * from them alone, so that a session maps the same way in every request, whatever tools are added or removed.
 * Invariant: two originals never share a replacement.
 */

export interface NameMap {
  readonly toWire: (name: string) => string
  /** The original of a name the provider used; the name itself when it is not ours. */
  readonly fromWire: (name: string) => string
  /** A name is replaced: the map depends on all names of its request. */
  readonly hasStandIns: boolean
}

/**
 * Maps names one to one: legal names first, so that no replacement can collide with one. Lives as long as its
 * request, so only replacements are stored: most requests have none.
 */
export function createNameMap(names: Iterable<string>, maxLength: number): NameMap {
  const originals = new Set(names)
  const forward = new Map<string, string>()
  const backward = new Map<string, string>()
  for (const name of originals) {
    if (isLegal(name, maxLength)) continue
    const base = sanitize(name, maxLength)
    let wire = base
    for (let n = 2; originals.has(wire) || backward.has(wire); n++)
      wire = `${base.slice(0, maxLength - `_${n}`.length)}_${n}`
    forward.set(name, wire)
    backward.set(wire, name)
  }
  return mapped(forward.size > 0 ? { forward, backward } : NONE, maxLength)
}

interface StandIns {
  readonly forward: ReadonlyMap<string, string>
  readonly backward: ReadonlyMap<string, string>
}

const NONE: StandIns = { forward: new Map(), backward: new Map() }
const LEGAL = /^[a-zA-Z0-9_-]+$/
const isLegal = (name: string, maxLength: number): boolean => name.length <= maxLength && LEGAL.test(name)

const mapped = ({ forward, backward }: StandIns, maxLength: number): NameMap => ({
  toWire: name => (isLegal(name, maxLength) ? name : (forward.get(name) ?? sanitize(name, maxLength))),
  fromWire: name => backward.get(name) ?? name,
  hasStandIns: forward.size > 0,
})

/** The legible part of the name, and a hash of the rest. */
function sanitize(name: string, maxLength: number): string {
  const mark = hash(name).slice(0, MARK)
  return `${name.replace(/[^a-zA-Z0-9_-]/g, '_').slice(0, maxLength - MARK - 1)}_${mark}`
}

const MARK = 8

const LEGAL_ID = /^[a-zA-Z0-9_-]{1,64}$/

/** A call id that every provider takes: itself when legal, else a hash with what is legible of it. */
export function toLegalId(id: string): string {
  if (LEGAL_ID.test(id)) return id
  const safe = id.replace(/[^a-zA-Z0-9_-]/g, '').slice(0, 40)
  return `h${hash(id)}_${safe}`
}

/** 64-bit FNV-1a, in hex: short, stable between processes, no crypto needed. */
function hash(text: string): string {
  let value = 0xcbf29ce484222325n
  for (const byte of new TextEncoder().encode(text))
    value = BigInt.asUintN(64, (value ^ BigInt(byte)) * 0x100000001b3n)
  return value.toString(16).padStart(16, '0')
}
