import type { Request, Response } from 'express';
import pg from 'pg';
import type { Target } from '../target.ts';
import { listen, withProductionSteps } from './production-steps.ts';

/**
 * A hand-written server for a file of a public repository: Express 5, `pg` and one statement on a table with the files of the
 * default branch by path, filled by `bench/contents-world.ts`. Its responses equal the gateway's byte for byte.
 */

pg.types.setTypeParser(pg.types.builtins.INT8, Number);

const statement = `
  select o.login, r.name, r.default_branch, f.sha, f.size, f.content, f.modified
  from repository r join account o on o.id = r.owner_id
  join git_ref g on g.repository_id = r.id and g.name = 'refs/heads/' || r.default_branch
  join bench_file f on f.repository_id = r.id and f.commit = g.oid and f.path = $3
  where lower(o.login) = lower($1) and lower(r.name) = lower($2) and not r.is_private`;

const encoded = (path: string): string => path.split('/').map(encodeURIComponent).join('/');

function inLines(bytes: Buffer): string {
  let text = '';
  for (let at = 0; at < bytes.length; at += 45) text += `${bytes.toString('base64', at, at + 45)}\n`;
  return text;
}

/** Behind the steps that every request of the gateway passes. */
export const start: Target = async url => {
  const app = await withProductionSteps();
  const pool = new pg.Pool({ connectionString: url, max: 10, options: '-c timezone=UTC' });
  app.get('/repos/:owner/:repo/contents/*path', async (request: Request, response: Response) => {
    const { owner, repo, path: parts } = request.params as unknown as { owner: string; repo: string; path: string[] };
    const path = parts.join('/');
    const origin = `${request.protocol}://${request.get('host')}`;
    const { rows } = await pool.query(statement, [owner, repo, path]);
    const [file] = rows;
    response.set({
      'Strict-Transport-Security': 'max-age=31536000; includeSubdomains; preload',
      'X-Frame-Options': 'deny',
      'X-XSS-Protection': '0',
      'Referrer-Policy': 'origin-when-cross-origin, strict-origin-when-cross-origin',
      'Access-Control-Allow-Origin': '*',
      'Access-Control-Expose-Headers': 'ETag, Link, Location, Retry-After, X-RateLimit-Limit',
      'Cache-Control': file ? 'public, max-age=60, s-maxage=60' : 'no-store',
      Vary: 'Accept, Accept-Encoding, Accept, X-Requested-With',
    });
    if (!file) {
      const docs = `${origin}/docs/rest/repos/contents#get-repository-content`;
      response.status(404).json({ message: 'Not Found', documentation_url: docs, status: '404' });
      return;
    }
    response.set({ ETag: `"${file.sha}"`, 'Last-Modified': new Date(file.modified).toUTCString() });
    const full = `${file.login}/${file.name}`;
    const self = `${origin}/repos/${full}/contents/${encoded(path)}?ref=${encodeURIComponent(file.default_branch)}`;
    const git = `${origin}/repos/${full}/git/blobs/${file.sha}`;
    const html = `${origin}/${full}/blob/${encoded(file.default_branch)}/${encoded(path)}`;
    response.json({
      type: 'file',
      encoding: 'base64',
      size: file.size,
      name: parts.at(-1),
      path,
      sha: file.sha,
      url: self,
      git_url: git,
      html_url: html,
      download_url: `${origin}/raw/${full}/${encodeURIComponent(file.default_branch)}/${encoded(path)}`,
      _links: { git, self, html },
      content: inLines(file.content),
    });
  });
  return listen(app);
};
