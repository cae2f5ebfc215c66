/** The format of OpenAI's APIs for audio of this type; undefined for one that they do not take. */
export function audioFormat(media_type: string): 'mp3' | 'wav' | undefined {
  if (/mpeg|mp3/.test(media_type)) return 'mp3'
  return /wav|wave|^audio\/\*?$/.test(media_type) ? 'wav' : undefined
}
