// A process that opens a data folder, prints one line of JSON, and runs until it is killed or reads "leave" from its standard
// input.
import { stdin, stdout } from 'node:process';
import { openEmbedded } from '../../src/db/embedded.ts';

const [, , dataFolder = '', mode = 'own'] = process.argv;
const say = (line: Record<string, unknown>) => stdout.write(`${JSON.stringify(line)}\n`);
const quiet = () => {};

try {
  const server = await openEmbedded({
    dataFolder,
    mode: mode === 'join' ? 'join' : 'own',
    log: { info: quiet, warn: quiet, error: quiet },
    settings: { fsync: 'off' },
  });
  say({ url: server.url, owned: server.owned });
  // stdin keeps the process alive; the server itself must not
  for await (const command of stdin) if (String(command).trim() === 'leave') break;
} catch (error) {
  say({ error: error instanceof Error ? error.name : 'unknown', message: String(error) });
}
