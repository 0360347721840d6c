import { GraphQLError } from 'graphql';
import {
  type Allowance,
  type BudgetName,
  budgets,
  credentialBudget,
  loginBudgets,
  mailBudgets,
  type Per,
  type RequestedMail,
} from './throttle-budgets.ts';
import { emailKey, ipKey } from './throttle-keys.ts';
import type { Counted, ThrottleStore } from './throttle-store.ts';

/** One use of a budget by one caller: an IP address, or the id of a user or of a session. */
export interface Window {
  budget: BudgetName;
  key: string;
}

/** Too much was asked for. `retryAfter`: whole seconds; facade and client find it in the extensions. */
export function throttled(retryAfter: number): GraphQLError {
  const time = retryAfter === 1 ? '1 second' : `${retryAfter} seconds`;
  return new GraphQLError(`Request was throttled. Expected available in ${time}.`, {
    extensions: { retryAfter, code: 'THROTTLED', http: { status: 429 } },
  });
}

/** How much one caller may do. Knows the tables in `throttle-budgets.ts` and a store, no account and no request. */
export class Throttle {
  private readonly store: Pick<ThrottleStore, 'take' | 'clear'>;
  private readonly factor: number;

  /** `factor`: what every allowance is multiplied by, save those of failed logins, which keep passwords from being guessed. */
  constructor(store: Pick<ThrottleStore, 'take' | 'clear'>, factor = 1) {
    this.store = store;
    this.factor = factor;
  }

  /** Charges all of `windows`, or none and throws `throttled`. */
  async spend(windows: readonly Window[]): Promise<void> {
    await this.demand(windows.flatMap(window => this.countsOf(window)));
  }

  /**
   * Whether a mail of this kind, asked for from `ip`, may be sent to the address: see `mailBudgets`. False where it is to be
   * dropped in silence; nothing is charged then.
   */
  async tryTakeMail(mail: RequestedMail, email: string, ip: string): Promise<boolean> {
    const address = `mail ${mail} ${emailKey(email)}`;
    const caller = mail === 'registration' ? [] : [this.mailCount(`${address} ${ipKey(ip)}`, mailBudgets.caller)];
    const total = await this.store.take([...caller, this.mailCount(address, mailBudgets.total)]);
    if (total.ok) return true;
    return (await this.store.take([...caller, this.mailCount(`${address} reserve`, mailBudgets.reserve)])).ok;
  }

  /** To be asked before a password is looked at. Throws `throttled` while the address may not be tried from this IP. */
  async assertLoginAllowed(email: string, ip: string): Promise<void> {
    await this.demand(loginCounts(email, ip, 0));
  }

  /**
   * To be told when the password was wrong, or nobody has that address. Throws `throttled` instead of counting when attempts
   * that ran beside this one have used up what was left: then neither a wrong nor a right password may be told.
   */
  async loginFailed(email: string, ip: string): Promise<void> {
    await this.demand(loginCounts(email, ip, 1));
  }

  /**
   * To be told when the password was right, before anything is given out. Throws `throttled` for the reason above: of a
   * thousand attempts sent at once a thousand have passed `assertLoginAllowed`, and no more than ten may learn something.
   */
  async loginSucceeded(email: string, ip: string): Promise<void> {
    await this.demand(loginCounts(email, ip, 0));
    await this.store.clear(runKey(email, ip));
  }

  /** Whether credentials of this owner may be used from this IP: bad ones that name no owner do not count for it. */
  async credentialAllowed(owner: string, ip: string): Promise<boolean> {
    return (await this.store.take([credentialCount(owner, ip, 0)])).ok;
  }

  /**
   * Counts a bad credential for its owner, or with those that name none; false instead where there are too many from this IP.
   * The two never decide over each other: a run that names nobody would keep guesses at an owner from being counted.
   */
  async credentialFailed(owner: string | undefined, ip: string): Promise<boolean> {
    return (await this.store.take([credentialCount(owner, ip, 1)])).ok;
  }

  private countsOf({ budget, key }: Window): Counted[] {
    const { per, allowances } = budgets[budget];
    const who = keys[per](key);
    return allowances.map(({ limit, seconds }) => ({
      key: `${budget}/${seconds} ${who}`,
      limit: limit * this.factor,
      seconds,
    }));
  }

  private mailCount(key: string, { limit, seconds }: Allowance): Counted {
    return { key, limit: limit * this.factor, seconds };
  }

  private async demand(counts: readonly Counted[]): Promise<void> {
    const taken = await this.store.take(counts);
    if (!taken.ok) throw throttled(taken.retryAfter);
  }
}

const keys: Record<Per, (key: string) => string> = { ip: ipKey, user: id => id, session: id => id };

const runKey = (email: string, ip: string): string => `login ${emailKey(email)} ${ipKey(ip)}`;

function loginCounts(email: string, ip: string, cost: 0 | 1): Counted[] {
  return [
    { key: runKey(email, ip), cost, ...loginBudgets.run },
    { key: `login ${ipKey(ip)}`, cost, ...loginBudgets.ip },
  ];
}

function credentialCount(owner: string | undefined, ip: string, cost: 0 | 1): Counted {
  return { key: `credential ${owner ?? ''} ${ipKey(ip)}`, cost, ...credentialBudget };
}
