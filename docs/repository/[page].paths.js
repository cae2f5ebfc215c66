import { repositoryPaths } from '../../apps/docs/src/repository-paths.ts'

export default { paths: repositoryPaths }
