/** Text into a file of the person who reads. */
export interface SavedFile {
  readonly type: string
  readonly extension: string
}

const PLAIN: SavedFile = { type: 'text/plain', extension: 'txt' }

/** Offers a text as a file. */
export function saveText(text: string, name: string, file: SavedFile = PLAIN): void {
  const plain = name.replace(/[^\p{L}\p{N}.-]+/gu, '-').slice(0, 60) || 'output'
  saveBlob(new Blob([text], { type: file.type }), `${plain}.${file.extension}`)
}

/** Offers bytes as a file of this name. */
export function saveBlob(blob: Blob, name: string): void {
  const url = URL.createObjectURL(blob)
  const link = document.createElement('a')
  link.href = url
  link.download = name
  link.click()
  URL.revokeObjectURL(url)
}
