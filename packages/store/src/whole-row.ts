/** Whether what was parsed of a row is the list of events that the row says it holds. */
export const isWhole = (events: unknown, n: number): boolean =>
  Array.isArray(events) && events.length === n && events.every(ev => typeof ev === 'object' && ev !== null)
