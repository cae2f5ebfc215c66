/** True if the parsed row is a list of as many events as the row declares. */
export const isWhole = (events: unknown, n: number): boolean =>
  Array.isArray(events) && events.length === n && events.every(ev => typeof ev === 'object' && ev !== null)
