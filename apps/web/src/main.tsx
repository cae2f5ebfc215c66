/** Where the app begins. */
import '@fontsource-variable/inter/wght.css'
import '@fontsource-variable/jetbrains-mono/wght.css'
import '@fontsource-variable/noto-sans-sc/wght.css'
import '@toolwire/react/styles.css'
import './styles/app.css'
import './styles/markdown.css'
import './styles/screens.css'
import { createRoot } from 'react-dom/client'
import { App } from './app.tsx'

const place = document.getElementById('app')
if (place) createRoot(place).render(<App />)
