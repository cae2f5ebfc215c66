/**
 * The plain part of YAML that the compose file keeps to: nested maps by two spaces, lists of scalars, an anchor and
 * its merge. Anything else, a tab, a crooked indentation or a key twice, throws with its line.
 */
export interface YamlMap {
  readonly [key: string]: YamlMap | readonly string[] | string
}

interface Line {
  readonly number: number
  readonly indent: number
  readonly text: string
}

export function readPlainYaml(text: string): YamlMap {
  const lines = text
    .split('\n')
    .map((line, i): Line => ({ number: i + 1, indent: line.search(/\S/), text: line.trim() }))
    .filter(line => line.text !== '' && !line.text.startsWith('#'))
  for (const line of text.split('\n')) if (line.includes('\t')) throw new Error(`a tab: ${line}`)
  const anchors = new Map<string, YamlMap>()
  return readMap(lines, 0, anchors)
}

/** Takes the lines of one map off the front. */
function readMap(lines: Line[], indent: number, anchors: Map<string, YamlMap>): YamlMap {
  const map: Record<string, YamlMap | readonly string[] | string> = {}
  for (let line = lines[0]; line && line.indent >= indent; line = lines[0]) {
    const found = /^([\w.<-]+):(?: (.*))?$/.exec(line.text)
    if (line.indent !== indent || !found?.[1]) throw new Error(`line ${line.number}: ${line.text}`)
    lines.shift()
    const [, key, value = ''] = found
    if (key in map) throw new Error(`line ${line.number}: ${key} is there twice`)
    if (key === '<<') Object.assign(map, anchors.get(value.slice(1)) ?? unknown(line))
    else map[key] = readValue(value, lines, indent, anchors)
  }
  return map
}

function readValue(
  value: string,
  lines: Line[],
  indent: number,
  anchors: Map<string, YamlMap>,
): YamlMap | readonly string[] | string {
  const anchor = /^&(\w+)$/.exec(value)?.[1]
  if (value !== '' && anchor === undefined) return value
  const next = lines[0]
  if (!next || next.indent <= indent) return ''
  if (next.indent !== indent + 2) throw new Error(`line ${next.number}: crooked`)
  if (next.text.startsWith('- ')) return readList(lines, next.indent)
  const map = readMap(lines, next.indent, anchors)
  if (anchor !== undefined) anchors.set(anchor, map)
  return map
}

function readList(lines: Line[], indent: number): readonly string[] {
  const items: string[] = []
  for (let line = lines[0]; line && line.indent === indent && line.text.startsWith('- '); line = lines[0]) {
    items.push(line.text.slice(2).replaceAll('"', ''))
    lines.shift()
  }
  return items
}

function unknown(line: Line): never {
  throw new Error(`line ${line.number}: no such anchor`)
}
