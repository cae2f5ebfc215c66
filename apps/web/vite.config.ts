/** Builds the app into `dist`, which the server offers at `/`. */
import { fileURLToPath } from 'node:url'
import react from '@vitejs/plugin-react'
import { defineConfig } from 'vite'

// biome-ignore lint/style/noDefaultExport: Vite reads its configuration from there
export default defineConfig({
  root: fileURLToPath(new URL('.', import.meta.url)),
  // Text of elements goes through the package's own JSX, which marks hidden characters.
  plugins: [react({ jsxImportSource: '@toolwire/react' })],
  // Workspace packages are taken from their sources.
  resolve: { conditions: ['toolwire-source', 'module', 'browser', 'development|production'] },
  build: {
    target: 'es2023',
    // Below these, `light-dark()` would be rewritten into something that a theme switch cannot reach.
    cssTarget: ['chrome125', 'firefox128', 'safari18'],
    // A strict content policy allows no data: fonts and no inlined scripts.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    chunkSizeWarningLimit: 1000,
  },
  server: {
    proxy: Object.fromEntries(['/api', '/healthz', '/frame'].map(path => [path, 'http://127.0.0.1:8000'])),
  },
})
