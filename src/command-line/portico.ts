import 'reflect-metadata';
import { Command, InvalidArgumentError } from 'commander';
import { type Config, ConfigError, configOfProcess } from '../config/config.ts';
import { type Database, openDatabase } from '../db/database.ts';
import { EmbeddedRefused } from '../db/embedded.ts';
import { migrate, withStartLock } from '../db/migrate.ts';
import { openServer } from '../db/open-server.ts';
import { importArticles } from '../health/articles/articles.commands.ts';

const say = (line: string): void => void process.stdout.write(`${line}\n`);
const complain = (line: string): void => void process.stderr.write(`${line}\n`);

/** Overwrites one line on a terminal; in a pipe or a log file it would only be noise. */
function progress(text: string): void {
  if (process.stderr.isTTY) process.stderr.write(`\r\x1b[K${text}`);
}

/** A database for one command: that of the running gateway when there is one, else started for as long as it is needed. */
async function withDatabase<T>(config: Config, work: (database: Database) => Promise<T>): Promise<T> {
  const log = { info: () => {}, warn: complain, error: complain };
  const server = await openServer(config, 'join', log);
  try {
    const database = await openDatabase({ url: server.url, pool: 2, statementTimeout: config.STATEMENT_TIMEOUT_MS });
    try {
      await withStartLock(server.url, () => migrate(database));
      return await work(database);
    } finally {
      await database.close();
    }
  } finally {
    await server.stop();
  }
}

function program(config: Config): Command {
  const portico = new Command('portico').description('Looks after a Portico installation: what no API should do.');
  const articles = portico.command('articles').description('Articles of the health product.');
  articles
    .command('import')
    .description('Imports feed files as articles. Running it again changes only what has changed.')
    .argument('<file-or-folder>', 'an RSS 2.0, Atom or JSON Feed file, or a folder of such files')
    .option('--source <code>', `publisher: one of ${config.ARTICLE_SOURCES.join(', ')}`, publisher(config), 'other')
    .action(async (path: string, { source }: { source: string }) => {
      const report = await withDatabase(config, ({ orm }) =>
        importArticles(path, source, { em: orm.em, now: new Date(), write: say, progress }),
      );
      if (report.unreadable > 0) process.exitCode = 1;
    });
  return portico;
}

function publisher(config: Config): (code: string) => string {
  return code => {
    if (config.ARTICLE_SOURCES.includes(code)) return code;
    throw new InvalidArgumentError(`It must be one of ${config.ARTICLE_SOURCES.join(', ')}.`);
  };
}

try {
  await program(configOfProcess()).parseAsync();
} catch (error) {
  const told = error instanceof ConfigError || error instanceof EmbeddedRefused;
  complain(told ? error.message : ((error as Error).stack ?? String(error)));
  process.exitCode = 1;
}
