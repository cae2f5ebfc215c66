import type { NextConfig } from 'next'

// The package starts threads and opens files, so it stays outside of the bundle.
const config: NextConfig = { serverExternalPackages: ['toolwire'] }

export default config
