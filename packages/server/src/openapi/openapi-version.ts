/** Versions of OpenAPI in which the description can be read. */
export const OPENAPI_VERSIONS = ['3.0', '3.1', '3.2'] as const
export type OpenApiVersion = (typeof OPENAPI_VERSIONS)[number]
