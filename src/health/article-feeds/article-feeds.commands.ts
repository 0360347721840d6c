import type { Kysely } from 'kysely';
import type { Read } from '../../db/read.ts';
import { badInput } from '../../errors/errors.ts';
import type { OutboundClient } from '../../outbound/outbound-client.ts';
import { OutboundError } from '../../outbound/outbound-error.ts';
import { formatInterval, parseInterval } from './feed-interval.ts';
import { type FeedRun, runsOfSubscriptions } from './feed-runs.ts';
import {
  addSubscription,
  allSubscriptions,
  findSubscription,
  maxSubscriptions,
  removeSubscription,
} from './feed-subscriptions.ts';

/** Context of the commands that write. `db` is a transaction. */
export interface FeedCommandContext {
  db: Kysely<unknown>;
  now: Date;
  write(line: string): void;
}

/**
 * Subscribes to a feed: it is fetched within a minute, and then at this interval.
 * @param every such as `6h`
 * @throws BAD_USER_INPUT for an address that the guard refuses, another interval, and more than 200 subscriptions
 */
export async function subscribeCommand(
  { url, source, every }: { url: string; source: string; every: string },
  { db, now, write, parseUrl }: FeedCommandContext & Pick<OutboundClient, 'parseUrl'>,
): Promise<void> {
  const intervalSeconds = parseInterval(every);
  if (intervalSeconds === undefined) throw badInput('--every must be from 15m to 30d, such as 30m, 6h or 1d.', 'every');
  const address = checkedAddress(url, parseUrl);
  const added = await addSubscription(db, { url: address, source, intervalSeconds }, now);
  if (!added) throw badInput(`There are ${maxSubscriptions} subscriptions already, which is the most.`, 'url');
  write(
    `Subscription ${added.id} ${added.isNew ? 'added' : 'changed'}: ${address} as ${source}, every ${formatInterval(intervalSeconds)}.`,
  );
}

function checkedAddress(text: string, parseUrl: OutboundClient['parseUrl']): string {
  try {
    const url = parseUrl(text.trim());
    url.hash = '';
    return url.href;
  } catch (error) {
    if (error instanceof OutboundError) throw badInput(error.message, 'url');
    throw error;
  }
}

/** Lists every subscription with its last run, or as JSON with its last ten runs and their entries. */
export async function listSubscriptionsCommand(
  { json }: { json?: boolean },
  { read, write }: { read: Read; write(line: string): void },
): Promise<void> {
  const subscriptions = await allSubscriptions(read);
  const runs = await runsOfSubscriptions(
    { read },
    subscriptions.map(({ id }) => id),
  );
  if (json) {
    const listed = subscriptions.map(({ etag: _etag, lastModified: _modified, ...one }, at) => ({
      ...one,
      runs: runs[at],
    }));
    return write(JSON.stringify(listed, null, 2));
  }
  if (subscriptions.length === 0) write('There are no subscriptions.');
  for (const [at, { id, url, source, intervalSeconds, dueAt }] of subscriptions.entries()) {
    const [last] = runs[at] ?? [];
    const told = last === undefined ? 'not run yet' : runText(last);
    write(`${id}\t${source}\tevery ${formatInterval(intervalSeconds)}\tnext ${dueAt}\t${told}\t${url}`);
  }
}

/** Prints the last runs of one subscription, the newest first, each with the entries that it changed or refused. */
export async function listRunsCommand(
  number: string,
  { read, write }: { read: Read; write(line: string): void },
): Promise<boolean> {
  const id = subscriptionNumber(number);
  const subscription = id === undefined ? undefined : await findSubscription(read, id);
  if (!subscription) return reportMissing(number, write);
  const [runs = []] = await runsOfSubscriptions({ read }, [subscription.id]);
  if (runs.length === 0) write('It has not run yet.');
  for (const run of runs) {
    write(runText(run));
    for (const { position, title, outcome, reason } of run.entries)
      write(`  entry ${position}${title ? ` «${title}»` : ''}: ${outcome}${reason === null ? '' : `, ${reason}`}`);
  }
  return true;
}

/** Ends a subscription; its articles stay. Returns false when there is none. */
export async function unsubscribeCommand(
  number: string,
  { db, write }: Pick<FeedCommandContext, 'db' | 'write'>,
): Promise<boolean> {
  const id = subscriptionNumber(number);
  if (id === undefined || !(await removeSubscription(db, id))) return reportMissing(number, write);
  write(`Subscription ${number} ended. Its articles stay.`);
  return true;
}

const subscriptionNumber = (text: string): number | undefined => (/^\d{1,15}$/.test(text) ? Number(text) : undefined);

function reportMissing(number: string, write: (line: string) => void): false {
  write(`There is no subscription ${number}.`);
  return false;
}

function runText({ startedAt, outcome, problem, added, updated, unchanged, older, rejected }: FeedRun): string {
  const counts = `${added} added, ${updated} updated, ${unchanged} unchanged, ${older} older, ${rejected} rejected`;
  const told = outcome === 'failed' ? `failed: ${problem}` : outcome === 'unchanged' ? 'nothing new' : counts;
  return `${startedAt} ${told}`;
}
