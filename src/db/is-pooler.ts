import pg from 'pg';

/**
 * Whether a pooler answers at this address. Its cancellation key carries a process number of its own instead of that of the server
 * process; a proxy of TCP passes the number on.
 * @throws the error of connecting
 */
export async function isPooler(connection: pg.ClientConfig): Promise<boolean> {
  const client = new pg.Client({ ...connection, connectionTimeoutMillis: 5_000, application_name: 'portico start' });
  await client.connect();
  try {
    const { rows } = await client.query<{ pid: number }>('select pg_backend_pid() as pid');
    return rows[0]?.pid !== (client as pg.Client & { processID: number }).processID;
  } finally {
    await client.end();
  }
}
