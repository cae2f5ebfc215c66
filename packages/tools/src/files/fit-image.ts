/**
 * Fits an image to the models' limits: identified by its first bytes, bounded in size and width. Larger ones are
 * scaled down if the optional package `sharp` is installed, and otherwise rejected with a sentence. A damaged
 * image is never passed on: a provider would reject the whole conversation for it.
 */
import { imageSize } from 'image-size'
import { mediaOf } from './media.ts'

/** 5 MiB as base64. */
export const MAX_IMAGE_BYTES = 3.75 * 1024 * 1024
export const MAX_IMAGE_SIDE = 2_000
/** Larger files are not even opened for scaling. */
export const MAX_SOURCE_BYTES = 64 * 1024 * 1024

interface ImageFacts {
  readonly media_type: string
  readonly width: number
  readonly height: number
  readonly bytes: number
}

interface FittedImage extends ImageFacts {
  readonly data: Uint8Array
  /** Its facts before it was scaled down. */
  readonly original?: ImageFacts
}

export type Fit =
  | { readonly ok: true; readonly image: FittedImage }
  | { readonly ok: false; readonly code: 'too_large' | 'damaged' | 'binary_file'; readonly reason: string }

/** Scales an image down: within the side, and lossy if `quality` is given. Throws if it cannot be decoded. */
export type ImageScaler = (
  bytes: Uint8Array,
  request: { readonly side: number; readonly quality?: number | undefined },
) => Promise<{
  readonly data: Uint8Array
  readonly media_type: string
  readonly width: number
  readonly height: number
}>

/** Undefined where nothing is installed that could scale. */
export type FindScaler = () => Promise<ImageScaler | undefined>

/** `reason` continues a sentence that starts with the image's name. Never throws. */
export async function fitImage(bytes: Uint8Array, findScaler: FindScaler = findSharp): Promise<Fit> {
  const facts = factsOf(bytes)
  if ('ok' in facts) return facts
  const side = Math.max(facts.width, facts.height)
  if (side <= MAX_IMAGE_SIDE && bytes.length <= MAX_IMAGE_BYTES)
    return { ok: true, image: { ...facts, data: bytes } }
  const scale = await findScaler()
  if (!scale)
    return no(
      'too_large',
      `is ${facts.width}x${facts.height} with ${facts.bytes} bytes; images may have at most ${MAX_IMAGE_SIDE} pixels on the longer side and ${MAX_IMAGE_BYTES} bytes. Scale it down first, or install the package sharp beside the server, which then does it.`,
    )
  return await scaled(bytes, facts, scale)
}

const no = (code: Extract<Fit, { ok: false }>['code'], reason: string): Fit & { readonly ok: false } => ({
  ok: false,
  code,
  reason,
})

function factsOf(bytes: Uint8Array): ImageFacts | (Fit & { readonly ok: false }) {
  const media = mediaOf('', bytes.subarray(0, 64), false)
  if (media.type !== 'image') return no('binary_file', 'is not an image of a known type.')
  if (bytes.length > MAX_SOURCE_BYTES)
    return no('too_large', `has ${bytes.length} bytes; images beyond ${MAX_SOURCE_BYTES} are not opened.`)
  try {
    const { width, height } = imageSize(bytes)
    if (width > 0 && height > 0) return { media_type: media.media_type, width, height, bytes: bytes.length }
  } catch {
    // Said below.
  }
  return no('damaged', `begins like ${media.media_type}, but is damaged: its size cannot be read.`)
}

/** Without loss first; then ever smaller, until it fits. */
async function scaled(bytes: Uint8Array, original: ImageFacts, scale: ImageScaler): Promise<Fit> {
  try {
    for (const quality of [undefined, 80, 60, 40]) {
      const made = await scale(bytes, { side: MAX_IMAGE_SIDE, quality })
      if (made.data.length <= MAX_IMAGE_BYTES)
        return { ok: true, image: { ...made, bytes: made.data.length, original } }
    }
    return no('too_large', 'stays too large even when it is scaled down.')
  } catch (error) {
    return no('damaged', `cannot be scaled down: ${error instanceof Error ? error.message : String(error)}.`)
  }
}

/** The part of sharp that is used, described by shape: the package is optional. */
interface SharpPipeline {
  rotate(): SharpPipeline
  resize(options: {
    readonly width: number
    readonly height: number
    readonly fit: 'inside'
    readonly withoutEnlargement: true
  }): SharpPipeline
  flatten(options: { readonly background: string }): SharpPipeline
  jpeg(options: { readonly quality: number }): SharpPipeline
  png(options: { readonly compressionLevel: number }): SharpPipeline
  toBuffer(options: { readonly resolveWithObject: true }): Promise<{
    readonly data: Uint8Array
    readonly info: { readonly width: number; readonly height: number }
  }>
}
type Sharp = (bytes: Uint8Array, options: { readonly limitInputPixels: number }) => SharpPipeline

const SHARP_PACKAGE = 'sharp'
/** A small file may claim to be enormous. */
const MAX_PIXELS = 16_384 * 16_384
let found: Promise<ImageScaler | undefined> | undefined

/** Loaded with the first large image. */
export function findSharp(): Promise<ImageScaler | undefined> {
  found ??= import(SHARP_PACKAGE).then(
    (loaded: { readonly default?: unknown }) =>
      typeof loaded.default === 'function' ? toScaler(loaded.default as Sharp) : undefined,
    () => undefined,
  )
  return found
}

const toScaler =
  (sharp: Sharp): ImageScaler =>
  async (bytes, { side, quality }) => {
    const lossy = quality ?? (isJpeg(bytes) ? 85 : undefined)
    const small = sharp(bytes, { limitInputPixels: MAX_PIXELS })
      .rotate()
      .resize({ width: side, height: side, fit: 'inside', withoutEnlargement: true })
    const written =
      lossy === undefined
        ? small.png({ compressionLevel: 9 })
        : small.flatten({ background: '#ffffff' }).jpeg({ quality: lossy })
    const { data, info } = await written.toBuffer({ resolveWithObject: true })
    const media_type = lossy === undefined ? 'image/png' : 'image/jpeg'
    return { data, media_type, width: info.width, height: info.height }
  }

const isJpeg = (bytes: Uint8Array): boolean => bytes[0] === 0xff && bytes[1] === 0xd8
