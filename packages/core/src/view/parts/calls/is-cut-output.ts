/** Returns true if the log holds only a part of an output; the server then starts it with this notice. */
export const isCutOutput = (text: string): boolean => text.startsWith('[Output cut: ')
