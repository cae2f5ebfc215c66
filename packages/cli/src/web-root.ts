/** The built web app: beside the built command, or in the checkout that the sources run from. */
import { fileURLToPath } from 'node:url'

const folder = import.meta.url.endsWith('.ts') ? '../../../apps/web/dist' : './web'

export const WEB_ROOT = fileURLToPath(new URL(folder, import.meta.url))
