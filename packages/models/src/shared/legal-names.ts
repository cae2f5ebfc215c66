/**
 * Tool names and call ids in the alphabet a provider accepts. Legal ones never change;
 * others get a stand-in that follows from them alone, so that a session maps the same way from its first request
 * to its last, whatever tools come and go.
 * Invariant: two originals never share a stand-in.
 */

export interface NameMap {
  readonly toWire: (name: string) => string
  /** The original of a name the provider used; the name itself when it is not ours. */
  readonly fromWire: (name: string) => string
}

/** Maps names one to one: legal names first, so that no stand-in can take one's place. */
export function createNameMap(names: Iterable<string>, maxLength: number): NameMap {
  const legal = new RegExp(`^[a-zA-Z0-9_-]{1,${maxLength}}$`)
  const originals = [...new Set(names)]
  const forward = new Map<string, string>()
  const backward = new Map<string, string>()
  const put = (name: string, wire: string): void => {
    forward.set(name, wire)
    backward.set(wire, name)
  }
  for (const name of originals) if (legal.test(name)) put(name, name)
  for (const name of originals) {
    if (forward.has(name)) continue
    const base = sanitize(name, maxLength)
    let wire = base
    for (let n = 2; backward.has(wire); n++) wire = `${base.slice(0, maxLength - `_${n}`.length)}_${n}`
    put(name, wire)
  }
  return {
    toWire: name => forward.get(name) ?? sanitize(name, maxLength),
    fromWire: name => backward.get(name) ?? name,
  }
}

/** What is legible of the name, and a mark of what is not. */
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
