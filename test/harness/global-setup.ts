import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { build, isStale } from '../../scripts/build.ts';
import { running } from './running.ts';

/**
 * Compiles if `dist/` is stale, because test files load the compiled modules, and starts the PostgreSQL server of the run.
 */
export default async function setUp(): Promise<void> {
  if (isStale()) build();
  const program = join(import.meta.dirname, 'database-server.ts');
  const server = spawn(process.execPath, [program], { stdio: ['ignore', 'inherit', 'inherit', 'ipc'] });
  running.server = server;
  // biome-ignore lint/style/noProcessEnv: Jest passes values from here to test files only by the environment.
  process.env.PORTICO_TEST_SERVER = await new Promise<string>((resolve, reject) => {
    server.once('message', url => resolve(String(url)));
    server.once('exit', code => reject(new Error(`The PostgreSQL of the run ended with ${code}.`)));
  });
}
