/** Content of messages and outputs of the Responses API. Pure. */
import { AppError, type ContentPart } from '@toolwire/core'
import { toBase64Text } from '../shared/base64-text.ts'
import { FileId } from '../shared/file-id.ts'
import type { LooseItem } from './request-schema.ts'
import { isItem } from './tools.ts'

/** A text or a list of parts. Throws `bad_request` with the place of a part that cannot be read. */
export function readContent(content: unknown, at: string): readonly ContentPart[] {
  if (typeof content === 'string') return content === '' ? [] : [{ type: 'text', text: content }]
  if (!Array.isArray(content)) throw new AppError('bad_request', `${at}: expected a text or a list of parts`)
  return content.map((part: unknown, index) => {
    if (isItem(part)) return readPart(part, `${at}.${index}`)
    throw new AppError('bad_request', `${at}.${index}: expected an object`)
  })
}

function readPart(part: LooseItem, at: string): ContentPart {
  switch (part['type']) {
    case 'input_text':
    case 'output_text':
    case 'text':
    case 'refusal': {
      const text = part['text'] ?? part['refusal']
      if (typeof text === 'string') return { type: 'text', text }
      throw new AppError('bad_request', `${at}.text: expected a text`)
    }
    case 'input_image':
      return readImage(part, at)
    case 'input_file':
      return readFile(part, at)
    case 'input_audio':
      return readAudio(part, at)
    default:
      throw new AppError(
        'bad_request',
        `${at}.type: a part is input_text, input_image, input_file or input_audio`,
      )
  }
}

/** Undefined when the part names no file. */
function readFileId({ file_id }: LooseItem, at: string): ContentPart | undefined {
  if (file_id === undefined || file_id === null) return undefined
  const { data, error } = FileId.safeParse(file_id)
  if (data === undefined) throw new AppError('bad_request', `${at}.file_id: ${error?.issues[0]?.message}`)
  return { type: 'file', source: { type: 'file', file_id: data } }
}

function readImage(part: LooseItem, at: string): ContentPart {
  const stored = readFileId(part, at)
  if (stored) return stored
  const value = part['image_url']
  const url = isItem(value) ? value['url'] : value
  if (typeof url !== 'string')
    throw new AppError(
      'bad_request',
      `${at}.image_url: an image is sent as file_id, as a data URL or by its address`,
    )
  return { type: 'image', source: sourceOf(url, `${at}.image_url`) }
}

function readFile(part: LooseItem, at: string): ContentPart {
  const stored = readFileId(part, at)
  if (stored) return stored
  const { file_data, file_url, filename } = part
  const title = typeof filename === 'string' ? { title: filename } : {}
  const url = typeof file_data === 'string' ? file_data : file_url
  if (typeof url !== 'string')
    throw new AppError('bad_request', `${at}: a file is sent as file_id, file_data or file_url`)
  const source = sourceOf(url, at)
  if (source.type !== 'base64' || !source.media_type.startsWith('text/'))
    return { type: 'document', source, ...title }
  const data = toBase64Text(source.data)
  return { type: 'document', source: { type: 'text', media_type: source.media_type, data }, ...title }
}

function readAudio(part: LooseItem, at: string): ContentPart {
  const audio = isItem(part['input_audio']) ? part['input_audio'] : {}
  const { data, format } = audio
  if (typeof data !== 'string' || !isBase64(data))
    throw new AppError('bad_request', `${at}.input_audio.data: expected base64`)
  return {
    type: 'audio',
    source: { type: 'base64', media_type: `audio/${format === 'mp3' ? 'mpeg' : 'wav'}`, data },
  }
}

type Source = Extract<ContentPart, { readonly source: unknown }>['source']

function sourceOf(url: string, at: string): Source {
  const inline = /^data:([\w.+-]+\/[\w.+-]+)(?:;[\w=.-]+)*;base64,/.exec(url)
  if (inline) {
    const data = url.slice(inline[0].length)
    if (isBase64(data)) return { type: 'base64', media_type: inline[1] ?? '', data }
    throw new AppError('bad_request', `${at}: the data URL is not valid base64`)
  }
  if (/^https?:\/\//.test(url) && URL.canParse(url)) return { type: 'url', url }
  throw new AppError('bad_request', `${at}: an address is http(s) or a base64 data URL`)
}

const isBase64 = (text: string): boolean => text.length % 4 === 0 && /^[A-Za-z0-9+/]*={0,2}$/.test(text)
