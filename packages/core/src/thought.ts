/** Think is a thought in the clothes of a call: limits that count work do not count it. */
export const THINK = 'Think'

export const isThought = ({ name }: { readonly name: string }): boolean => name === THINK
