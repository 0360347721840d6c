import { GraphQLError } from 'graphql';
import {
  type ActionKey,
  type ActionName,
  actionLimits,
  badCredentialLimit,
  loginLimits,
  mailLimits,
  type RateLimit,
  type RequestedMail,
} from './action-limits.ts';
import { emailKey, ipKey } from './rate-limit-keys.ts';
import type { CounterCharge, RateLimitStore } from './rate-limit-store.ts';

/** One use of a budget by one caller: an IP address, or the id of a user or of a session. */
export interface Action {
  action: ActionName;
  key: string;
}

/** Too much was asked for. `retryAfter`: whole seconds; facade and client find it in the extensions. */
export function tooManyRequests(retryAfter: number): GraphQLError {
  const time = retryAfter === 1 ? '1 second' : `${retryAfter} seconds`;
  return new GraphQLError(`Request was throttled. Expected available in ${time}.`, {
    extensions: { retryAfter, code: 'THROTTLED', http: { status: 429 } },
  });
}

/** How much one caller may do. Knows the tables in `action-limits.ts` and a store, no account and no request. */
export class RateLimiter {
  private readonly store: Pick<RateLimitStore, 'charge' | 'clear'>;
  private readonly factor: number;

  /** `factor`: what every allowance is multiplied by, save those of failed logins, which keep passwords from being guessed. */
  constructor(store: Pick<RateLimitStore, 'charge' | 'clear'>, factor = 1) {
    this.store = store;
    this.factor = factor;
  }

  /** Charges all of `windows`, or none and throws `throttled`. */
  async charge(actions: readonly Action[]): Promise<void> {
    await this.chargeAll(actions.flatMap(window => this.chargesOf(window)));
  }

  /**
   * Whether a mail of this kind, asked for from `ip`, may be sent to the address: see `mailBudgets`. False where it is to be
   * dropped in silence; nothing is charged then.
   */
  async tryChargeMail(mail: RequestedMail, email: string, ip: string): Promise<boolean> {
    const address = `mail ${mail} ${emailKey(email)}`;
    const caller = mail === 'registration' ? [] : [this.mailCharge(`${address} ${ipKey(ip)}`, mailLimits.caller)];
    const total = await this.store.charge([...caller, this.mailCharge(address, mailLimits.total)]);
    if (total.ok) return true;
    return (await this.store.charge([...caller, this.mailCharge(`${address} reserve`, mailLimits.reserve)])).ok;
  }

  /** To be asked before a password is looked at. Throws `throttled` while the address may not be tried from this IP. */
  async assertLoginAllowed(email: string, ip: string): Promise<void> {
    await this.chargeAll(loginCharges(email, ip, 0));
  }

  /**
   * To be told when the password was wrong, or nobody has that address. Throws `throttled` instead of counting when attempts
   * that ran beside this one have used up what was left: then neither a wrong nor a right password may be told.
   */
  async loginFailed(email: string, ip: string): Promise<void> {
    await this.chargeAll(loginCharges(email, ip, 1));
  }

  /**
   * To be told when the password was right, before anything is given out. Throws `throttled` for the reason above: of a
   * thousand attempts sent at once a thousand have passed `assertLoginAllowed`, and no more than ten may learn something.
   */
  async loginSucceeded(email: string, ip: string): Promise<void> {
    await this.chargeAll(loginCharges(email, ip, 0));
    await this.store.clear(loginRunKey(email, ip));
  }

  /** Whether credentials of this owner may be used from this IP: bad ones that name no owner do not count for it. */
  async credentialAllowed(owner: string, ip: string): Promise<boolean> {
    return (await this.store.charge([badCredentialCharge(owner, ip, 0)])).ok;
  }

  /**
   * Counts a bad credential for its owner, or with those that name none; false instead where there are too many from this IP.
   * The two never decide over each other: a run that names nobody would keep guesses at an owner from being counted.
   */
  async credentialFailed(owner: string | undefined, ip: string): Promise<boolean> {
    return (await this.store.charge([badCredentialCharge(owner, ip, 1)])).ok;
  }

  private chargesOf({ action, key }: Action): CounterCharge[] {
    const { per, limits } = actionLimits[action];
    const who = keys[per](key);
    return limits.map(({ limit, seconds }) => ({
      key: `${action}/${seconds} ${who}`,
      limit: limit * this.factor,
      seconds,
    }));
  }

  private mailCharge(key: string, { limit, seconds }: RateLimit): CounterCharge {
    return { key, limit: limit * this.factor, seconds };
  }

  private async chargeAll(counts: readonly CounterCharge[]): Promise<void> {
    const taken = await this.store.charge(counts);
    if (!taken.ok) throw tooManyRequests(taken.retryAfter);
  }
}

const keys: Record<ActionKey, (key: string) => string> = { ip: ipKey, user: id => id, session: id => id };

const loginRunKey = (email: string, ip: string): string => `login ${emailKey(email)} ${ipKey(ip)}`;

function loginCharges(email: string, ip: string, cost: 0 | 1): CounterCharge[] {
  return [
    { key: loginRunKey(email, ip), cost, ...loginLimits.run },
    { key: `login ${ipKey(ip)}`, cost, ...loginLimits.ip },
  ];
}

function badCredentialCharge(owner: string | undefined, ip: string, cost: 0 | 1): CounterCharge {
  return { key: `credential ${owner ?? ''} ${ipKey(ip)}`, cost, ...badCredentialLimit };
}
