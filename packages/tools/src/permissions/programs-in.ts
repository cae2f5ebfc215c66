/** Words of a command line of the configuration that name files which it runs. Data that it works on is not among them. */

const SCRIPT = /\.([cm]?[jt]sx?|py|rb|sh|bash|zsh|fish|pl|php|lua|wasm|jar)$/

/** Scripts wherever they are, and what begins a command by a path. Pure. */
export function programsIn(command: string): readonly string[] {
  const parts = command.split(/[;&|\n]+/).map(part => part.split(/[\s"'=()<>]+/).filter(word => word !== ''))
  return parts.flatMap(words =>
    words.filter((word, i) => SCRIPT.test(word) || (i === 0 && word.includes('/'))),
  )
}
