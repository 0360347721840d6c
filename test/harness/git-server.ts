import { afterAll } from '@jest/globals';
import { type GitServer, type GitServerOptions, serveGit } from './git-http-backend.ts';

/** As `serveGit`; closed after the file. */
export async function gitServer(options: GitServerOptions): Promise<GitServer> {
  const server = await serveGit(options);
  afterAll(() => server.close());
  return server;
}
