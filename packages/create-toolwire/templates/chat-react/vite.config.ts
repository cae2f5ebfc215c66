import react from '@vitejs/plugin-react'
import { defineConfig, type Plugin } from 'vite'
import { toolwire } from './agent.ts'

// While you develop, the agent answers below /agent of Vite's own server.
const agent: Plugin = {
  name: 'agent',
  apply: 'serve',
  configureServer: server => void server.middlewares.use(toolwire.node),
}

export default defineConfig({
  // Text of elements goes through the package's own JSX, which marks hidden characters.
  plugins: [react({ jsxImportSource: '@toolwire/react' }), agent],
  server: { host: '127.0.0.1' },
})
