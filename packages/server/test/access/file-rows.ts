/** Routes of files: they find the files of the owner alone, see files/owners.test.ts. */
export const FILE_ROWS = {
  'POST /api/files': { own: 'files of the owner' },
  'GET /api/files': { own: 'files of the owner' },
  'GET /api/files/:id': { own: 'files of the owner' },
  'GET /api/files/:id/content': { own: 'files of the owner' },
  'DELETE /api/files/:id': { own: 'files of the owner' },
  'POST /v1/files': { own: 'files of the owner' },
  'GET /v1/files': { own: 'files of the owner' },
  'GET /v1/files/:id': { own: 'files of the owner' },
  'GET /v1/files/:id/content': { own: 'files of the owner' },
  'DELETE /v1/files/:id': { own: 'files of the owner' },
} as const
