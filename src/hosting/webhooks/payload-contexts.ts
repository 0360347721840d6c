import type DataLoader from 'dataloader';
import type { Context } from '../../context/context.ts';
import type { Selection } from '../../db/selection.ts';
import { accountsByIds, coversSelection } from '../accounts/accounts.queries.ts';
import type { PayloadContext } from './build-payload.ts';

/** Makes what resolvers of a payload's objects run in. */
export type ContextFactory = (actor: PayloadContext['actor']) => PayloadContext;

/** What the shapes of payloads need of an account. */
const accountSelection: Selection = new Map(['isSiteAdmin', 'bio'].map(name => [name, new Map()]));

/**
 * Contexts of payloads that are made together: one for each installation, because each may see other repositories. These columns
 * of accounts look the same to all of them, so accounts are read by one statement, and an owner not once more as the sender.
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
    const made = withSharedAccounts(own, first);
    contexts.set(installation, made);
    return made;
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
