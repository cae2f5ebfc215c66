/** Folders of version control systems; searches leave them out. */
export const VCS_DIRECTORIES = ['.git', '.svn', '.hg', '.bzr', '.jj']
