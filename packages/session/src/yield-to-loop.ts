/** Gives the event loop to other requests during long work. */
export const yieldToLoop = (): Promise<void> => new Promise(resolve => setImmediate(resolve))
