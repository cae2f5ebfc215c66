/** Files that a search could not read, in a bounded number of lines. Pure. */

const MAX_TOLD = 20

export function describeUnread(unread: readonly string[]): string {
  const more = unread.length > MAX_TOLD ? [`and ${unread.length - MAX_TOLD} more`] : []
  return [...unread.slice(0, MAX_TOLD), ...more].join('\n')
}
