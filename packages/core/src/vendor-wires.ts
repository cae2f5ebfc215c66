/** Wires of the vendors' APIs: their clients drive the loop and choose settings such as thinking themselves. */
const VENDOR_WIRES: ReadonlySet<string> = new Set([
  'openai-chat',
  'openai-responses',
  'anthropic-messages',
  'import',
])

export const isVendorWire = (protocol: string | undefined): boolean =>
  protocol !== undefined && VENDOR_WIRES.has(protocol)
