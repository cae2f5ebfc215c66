export { createHttpEndpoint, type HttpEndpoint } from './serve/http-endpoint.ts'
export type { Offer, OfferedAgent } from './serve/offer.ts'
export type { RequestScope, ServeOptions, ServerExtension } from './serve/serve-context.ts'
export { serveOverStdio } from './serve/stdio.ts'
