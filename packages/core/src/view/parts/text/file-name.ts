/** A name for saved output that every file system takes; never empty. */
export const fileNameOf = (name: string): string =>
  `${name.replace(/[^\w.-]+/g, '-').slice(0, 60) || 'output'}.txt`
