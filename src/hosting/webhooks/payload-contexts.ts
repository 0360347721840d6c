import type DataLoader from 'dataloader';
import type { Selection } from '../../../schema/vocabulary/selection.ts';
import type { Context } from '../../context/context.ts';
import { accountsByIds, holdsAllOf } from '../accounts/accounts.queries.ts';
import type { PayloadContext } from './make-payload.ts';

/** Makes what resolvers of a payload's objects run in. */
export type ContextFor = (actor: PayloadContext['actor']) => PayloadContext;

/** What the shapes of payloads need of an account. */
const ofAccounts: Selection = new Map(['isSiteAdmin', 'bio'].map(name => [name, new Map()]));

/**
 * Contexts of payloads that are made together: one for each installation, because each may see other repositories. These columns
 * of accounts look the same to all of them, so accounts are read by one statement, and an owner not once more as the sender.
 */
export function payloadContexts(
  contextFor: ContextFor,
): (installation: string, ...who: Parameters<ContextFor>) => PayloadContext {
  const contexts = new Map<string, PayloadContext>();
  let first: PayloadContext | undefined;
  return (installation, actor) => {
    const known = contexts.get(installation);
    if (known) return known;
    const own = contextFor(actor);
    first ??= own;
    const made = withAccountsOf(own, first);
    contexts.set(installation, made);
    return made;
  };
}

function withAccountsOf(own: PayloadContext, common: PayloadContext): PayloadContext {
  const load: Context['load'] = <Id, Value>(
    batch: Parameters<typeof own.load<Id, Value>>[0],
    wanted: Selection,
  ): DataLoader<Id, Value> => {
    const isCommon = (batch as unknown) === accountsByIds && holdsAllOf(ofAccounts, wanted);
    return isCommon ? common.load(batch, ofAccounts) : own.load(batch, wanted);
  };
  return Object.create(own, { load: { value: load } }) as PayloadContext;
}
