import pg from 'pg';
import type { Target } from '../target.ts';
import { listen, withProductionSteps } from './production-steps.ts';

/** The minimum that responds to a poll: behind the production steps one prepared lookup by primary key, and 304. */
export const start: Target = async url => {
  const pool = new pg.Pool({ connectionString: url, max: 10, options: '-c timezone=UTC -c statement_timeout=10000' });
  const app = await withProductionSteps();
  app.get('/repositories/:id/events', async (request, response) => {
    const { rows } = await pool.query({
      name: 'one',
      text: 'select id, updated_at from repository where id = $1',
      values: [request.params.id],
    });
    const etag = `"${rows[0]?.id}"`;
    response.set({ ETag: etag, 'X-Poll-Interval': '60' });
    if (request.get('if-none-match') === etag) response.status(304).end();
    else response.json(rows);
  });
  return listen(app);
};
