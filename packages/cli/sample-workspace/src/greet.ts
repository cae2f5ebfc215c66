// TODO: greet in the language of the visitor
export function greet(name: string): string {
  return `Hello, ${name}!`
}
