/** Whether the output in the log is only a part of what the tool wrote: the server says so in its first line. */
export const isCut = (output: string | undefined): boolean => output?.startsWith('[Output cut: ') ?? false
