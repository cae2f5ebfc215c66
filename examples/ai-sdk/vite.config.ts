/** A separate page beside the server: `/api` is proxied, so the page needs no cross-origin permission. */
import { fileURLToPath } from 'node:url'
import react from '@vitejs/plugin-react'
import { defineConfig } from 'vite'

// The host stays the page's own: the server compares it with the page's origin.
const proxy = {
  '/api': { target: process.env['TOOLWIRE_URL'] ?? 'http://127.0.0.1:8000', changeOrigin: false },
}

// biome-ignore lint/style/noDefaultExport: Vite reads its configuration from there
export default defineConfig({
  root: fileURLToPath(new URL('.', import.meta.url)),
  plugins: [react()],
  build: { target: 'es2023' },
  server: { proxy },
  preview: { proxy },
})
