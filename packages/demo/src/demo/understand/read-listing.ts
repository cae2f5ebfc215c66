/** Names out of what listing tools print: `ls -l`, LS trees, and one path per line. */
const LONG =
  /^([-dlbcpsDC])[-rwxsStTl]{9}[.+@]?\s+\d+\s+\S+\s+\S+\s+[\d,.]+[KMGT]?\s+(?:\d{4}-\d\d-\d\d\s+[\d:.]+(?:\s[+-]\d{4})?|\S+\s+\S+\s+[\d:]+)\s+(.+)$/u

/** The entries, without `.` and `..`; directories end in `/`. */
export function readListing(output: string): readonly string[] {
  const lines = output.split('\n').map(line => line.replace(/\r$/, ''))
  const long = lines.flatMap(line => {
    const match = LONG.exec(line)
    if (!match?.[2] || match[2] === '.' || match[2] === '..') return []
    const name = match[2].replace(/ -> .*$/u, '')
    return [match[1] === 'd' ? `${name}/` : name]
  })
  if (lines.some(line => LONG.test(line))) return long
  const tree = lines.flatMap(line => /^\s+- (.+)$/u.exec(line)?.[1] ?? [])
  if (tree.length > 0) return tree
  return lines.map(line => line.trim()).filter(line => isName(line))
}

/** The paths that a file search printed. */
export const foundPaths = (output: string): readonly string[] =>
  output
    .split('\n')
    .map(line => line.trim())
    .filter(line => isName(line) && !/^no (?:files|matches) found/i.test(line))

/** The paths that a file search printed, absolute ones made short against the folder they share. */
export function readPaths(output: string): readonly string[] {
  const paths = foundPaths(output)
  const shared = sharedFolder(paths)
  return paths.map(path => path.slice(shared.length))
}

const isName = (line: string): boolean =>
  line !== '' && !/^(?:total \d+|\(.*\)|found \d+ files?|- \/.*)$/iu.test(line)

function sharedFolder(paths: readonly string[]): string {
  const [first, ...others] = paths
  if (!first?.startsWith('/')) return ''
  let folder = first.slice(0, first.lastIndexOf('/') + 1)
  while (folder !== '' && !others.every(path => path.startsWith(folder)))
    folder = folder.slice(0, folder.lastIndexOf('/', folder.length - 2) + 1)
  return folder
}
