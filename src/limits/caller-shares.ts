import type { Actor } from '../auth/actor.ts';
import type { SlotShare } from '../workers/shared-slots.ts';
import { ipKey } from './rate-limit-keys.ts';

/** How many slots of one kind are taken at a time. */
interface CallerSlots {
  all: number;
  /** Of all callers without a credential: the rest is reserved for those with one. */
  anonymous: number;
  /** Of one IP address (IPv6: of one /64) without a credential. */
  perAddress: number;
  /** Of one account, or of another kind of credential at one IP address. */
  perCredential: number;
}

/** Names a caller to slots: by account, and every other one by IP address (IPv6: by /64). */
export const slotKeyOf = (actor: Actor): string =>
  actor.kind === 'user' ? `account:${actor.accountId}` : `${actor.kind}:${ipKey(actor.ip)}`;

/** The shares of a caller. Slow callers at some addresses never take all slots. */
export function callerShares(actor: Actor, { all, anonymous, perAddress, perCredential }: CallerSlots): SlotShare[] {
  const shares = [{ key: 'all', max: all }];
  if (actor.kind !== 'anonymous') return [...shares, { key: slotKeyOf(actor), max: perCredential }];
  return [...shares, { key: 'anonymous', max: anonymous }, { key: slotKeyOf(actor), max: perAddress }];
}
