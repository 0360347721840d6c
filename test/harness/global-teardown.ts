import { once } from 'node:events';
import { running } from './running.ts';

/** Stops the PostgreSQL server of the run. */
export default async function tearDown(): Promise<void> {
  const { server } = running;
  if (!server || server.exitCode !== null) return;
  const exited = once(server, 'exit');
  server.disconnect();
  await exited;
}
