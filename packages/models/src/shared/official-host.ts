/** True for OpenAI's own address; any other server only imitates it. Pure. */
export const isOfficialHost = (baseUrl: string | undefined): boolean =>
  baseUrl === undefined || /(^|\.)api\.openai\.com$/.test(URL.parse(baseUrl)?.hostname ?? '')
