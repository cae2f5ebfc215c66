/** A separate page beside the server: its routes are proxied, so the page needs no cross-origin permission. */
import { defineConfig } from 'vite'

// The host stays the page's own: the server compares it with the page's origin.
const server = { target: process.env['TOOLWIRE_URL'] ?? 'http://127.0.0.1:8000', changeOrigin: false }
const proxy = { '/api': server, '/ag-ui': server }

// biome-ignore lint/style/noDefaultExport: Vite reads its configuration from there
export default defineConfig({ build: { target: 'es2023' }, server: { proxy }, preview: { proxy } })
