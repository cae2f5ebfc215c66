/** Hands files of a page to the person who wants them. */

import { type PageFile, toEmbedded } from './page-file.ts'
import { type Fields, isFields } from './page-message.ts'

/** All of them or none: links are read first, from the page's own server alone. Throws when one cannot be had. */
export async function savePageFiles(
  files: readonly PageFile[],
  read: (uri: string) => Promise<Fields>,
): Promise<void> {
  const whole = await Promise.all(files.map(file => toBlob(file, read)))
  for (const { name, blob } of whole) offer(name, blob)
}

async function toBlob(
  { name, body }: PageFile,
  read: (uri: string) => Promise<Fields>,
): Promise<{ readonly name: string; readonly blob: Blob }> {
  if (body.type !== 'link') return { name, blob: blobOf(body) }
  const { contents } = await read(body.uri)
  const [first] = Array.isArray(contents) ? contents : []
  const [file] = isFields(first) ? toEmbedded(first) : []
  if (!file || file.body.type === 'link') throw new Error(`There is no file at ${body.uri}.`)
  return { name, blob: blobOf(file.body) }
}

type Whole = Exclude<PageFile['body'], { readonly type: 'link' }>

/** Of no type that a browser would open by itself. Throws for what is not base64. */
function blobOf(body: Whole): Blob {
  const bytes =
    body.type === 'text' ? body.text : Uint8Array.from(atob(body.blob), letter => letter.charCodeAt(0))
  return new Blob([bytes], { type: 'application/octet-stream' })
}

function offer(name: string, blob: Blob): void {
  const url = URL.createObjectURL(blob)
  const link = document.createElement('a')
  link.href = url
  link.download = name
  link.click()
  URL.revokeObjectURL(url)
}
