export type { ServerConfig } from './config.ts'
export type { Clock, Logger, ServerContext, Waker } from './context.ts'
export { createServer, type Server, type ServerOptions } from './server.ts'
export { addWebRoutes, type WebOptions } from './web/add-web-routes.ts'
