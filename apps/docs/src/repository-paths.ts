import { REPOSITORY_PAGES, readPage } from './pages.ts'

/** Pages of the site whose text is elsewhere in the repository, for VitePress. */
export const repositoryPaths = () =>
  Object.keys(REPOSITORY_PAGES).map(page => ({ params: { page }, content: readPage(`repository/${page}`) }))
