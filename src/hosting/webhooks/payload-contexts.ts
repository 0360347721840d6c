import type DataLoader from 'dataloader';
import type { Context } from '../../context/context.ts';
import type { Selection } from '../../db/selection.ts';
import { accountsByIds, coversSelection } from '../accounts/accounts.queries.ts';
import type { PayloadContext } from './build-payload.ts';

/** Creates the context in which the resolvers of a payload's objects run. */
export type ContextFactory = (actor: PayloadContext['actor']) => PayloadContext;

/** Account fields that payload fragments select. */
const accountSelection: Selection = new Map(['id', 'isSiteAdmin', 'description'].map(name => [name, new Map()]));

/**
 * Returns one context per installation, because each can see different repositories. The contexts share one account
 * loader for the fields in `accountSelection`, which look the same to all installations: one statement then loads the
 * owners and senders of all payloads.
 */
export function payloadContexts(
  createContext: ContextFactory,
): (installation: string, ...who: Parameters<ContextFactory>) => PayloadContext {
  const contexts = new Map<string, PayloadContext>();
  let first: PayloadContext | undefined;
  return (installation, actor) => {
    const known = contexts.get(installation);
    if (known) return known;
    const own = createContext(actor);
    first ??= own;
    const created = withSharedAccounts(own, first);
    contexts.set(installation, created);
    return created;
  };
}

function withSharedAccounts(own: PayloadContext, common: PayloadContext): PayloadContext {
  const load: Context['load'] = <Id, Value>(
    batch: Parameters<typeof own.load<Id, Value>>[0],
    wanted: Selection,
  ): DataLoader<Id, Value> => {
    const isCommon = (batch as unknown) === accountsByIds && coversSelection(accountSelection, wanted);
    return isCommon ? common.load(batch, accountSelection) : own.load(batch, wanted);
  };
  return Object.create(own, { load: { value: load } }) as PayloadContext;
}
