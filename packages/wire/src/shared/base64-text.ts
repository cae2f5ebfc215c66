/** The text that base64 data holds, as UTF-8. Throws when the data is no base64. */
export function toBase64Text(data: string): string {
  const characters = atob(data)
  const bytes = new Uint8Array(characters.length)
  for (let at = 0; at < characters.length; at++) bytes[at] = characters.charCodeAt(at)
  return new TextDecoder().decode(bytes)
}
