/**
 * docs/performance-results.md: hand-written prose, and one section per part that the benchmark writes between two
 * markers. A part that did not run keeps the results of its last run, with their date.
 */

const begin = (name: string): string => `<!-- bench ${name} -->`
const end = (name: string): string => `<!-- end ${name} -->`

export interface Measurement {
  readonly name: string
  readonly title: string
  readonly markdown: string
  /** One line: machine, versions, day. */
  readonly setting: string
}

/** The page with the section of `measured` renewed; at its end when it had none. Everything else stays. */
export function withMeasurement(page: string, measured: Measurement): string {
  const { name, title, markdown, setting } = measured
  const section = `${begin(name)}\n## ${title}\n${markdown}\n\n${setting}\n${end(name)}`
  const from = page.indexOf(begin(name))
  const to = page.indexOf(end(name))
  if (from === -1 || to === -1) return `${page.trimEnd()}\n\n${section}\n`
  return page.slice(0, from) + section + page.slice(to + end(name).length)
}
