import { type Command, InvalidArgumentError } from 'commander';
import type { Config } from '../config/config.ts';
import { inTransaction } from '../db/database.ts';
import {
  type FeedCommandContext,
  listRunsCommand,
  listSubscriptionsCommand,
  subscribeCommand,
  unsubscribeCommand,
} from '../health/article-feeds/article-feeds.commands.ts';
import { importArticles, importStatus } from '../health/articles/articles.commands.ts';
import { createAddressGuard } from '../outbound/address-guard.ts';
import { printLine, progress, withDatabase } from './with-database.ts';

const importHelp = `
Exit status: 0 if every entry was accepted, 1 if some were rejected or a file was unreadable, 2 if nothing was accepted.`;

export function addArticles(portico: Command, config: Config): void {
  const articles = portico.command('articles').description('Articles of the health product.');
  articles
    .command('import')
    .description('Imports feed files as articles. Running it again changes only what has changed.')
    .argument('<file-or-folder>', 'an RSS 2.0, Atom or JSON Feed file, or a folder of such files; RSS 0.9 to 1.0 too')
    .option('--source <code>', publishers(config), publisher(config), 'other')
    .option('--verbose', 'reports new and unchanged entries too')
    .option('--json', 'prints the report as JSON')
    .addHelpText('after', importHelp)
    .action(async (path: string, { source, verbose, json }: { source: string; verbose?: true; json?: true }) => {
      const write = json ? () => {} : printLine;
      const report = await withDatabase(config, ({ orm }) =>
        importArticles(path, source, { em: orm.em, now: new Date(), write, progress, verbose: verbose ?? false }),
      );
      if (json) printLine(JSON.stringify(report, null, 2));
      process.exitCode = importStatus(report);
    });
  addSubscriptions(articles, config);
}

function addSubscriptions(articles: Command, config: Config): void {
  const inOneGo = <T>(work: (around: FeedCommandContext) => Promise<T>): Promise<T> =>
    withDatabase(config, database => inTransaction(database, db => work({ db, now: new Date(), write: printLine })));
  const numberOfSubscription = 'number of the subscription, as listed';
  articles
    .command('subscribe')
    .description('Fetches a feed at an interval and imports it. A known address changes its publisher and interval.')
    .argument('<url>', 'address of the feed, http or https')
    .option('--source <code>', publishers(config), publisher(config), 'other')
    .option('--every <interval>', 'from 15m to 30d, such as 30m, 6h or 1d', '6h')
    .action((url: string, { source, every }: { source: string; every: string }) => {
      const { parseUrl } = createAddressGuard({ allow: config.OUTBOUND_ALLOWED_HOSTS });
      return inOneGo(around => subscribeCommand({ url, source, every }, { ...around, parseUrl }));
    });
  articles
    .command('subscriptions')
    .description('Lists the subscriptions with their last runs.')
    .option('--json', 'with the last ten runs of each and their entries, as JSON')
    .action(({ json }: { json?: true }) =>
      withDatabase(config, ({ read }) => listSubscriptionsCommand({ json: json ?? false }, { read, write: printLine })),
    );
  articles
    .command('runs')
    .description('Prints the last ten runs of a subscription, with the entries that each changed or refused.')
    .argument('<number>', numberOfSubscription)
    .action(async (id: string) => {
      const isFound = await withDatabase(config, ({ read }) => listRunsCommand(id, { read, write: printLine }));
      if (!isFound) process.exitCode = 1;
    });
  articles
    .command('unsubscribe')
    .description('Ends a subscription. Its articles stay.')
    .argument('<number>', numberOfSubscription)
    .action(async (id: string) => {
      if (!(await inOneGo(around => unsubscribeCommand(id, around)))) process.exitCode = 1;
    });
}

const publishers = ({ ARTICLE_SOURCES }: Config): string => `publisher: one of ${ARTICLE_SOURCES.join(', ')}`;

function publisher(config: Config): (code: string) => string {
  return code => {
    if (config.ARTICLE_SOURCES.includes(code)) return code;
    throw new InvalidArgumentError(`It must be one of ${config.ARTICLE_SOURCES.join(', ')}.`);
  };
}
