import { describe, expect, test } from '@jest/globals';
import { GraphQLError } from 'graphql';
import { type ActionName, actionLimits, type RequestedMail } from '../../src/limits/action-limits.ts';
import { CallerQuotas } from '../../src/limits/caller-quotas.ts';
import { assertLoginAllowed, chargeFailedLogin, clearFailedLogins } from '../../src/limits/login-limits.ts';
import { tryChargeMail } from '../../src/limits/mail-limits.ts';
import { MemoryRateLimitStore } from '../../src/limits/memory-store.ts';
import { emailKey, ipKey } from '../../src/limits/rate-limit-keys.ts';
import type { CounterCharge } from '../../src/limits/rate-limit-store.ts';
import { type Action, RateLimiter, tooManyRequests } from '../../src/limits/rate-limiter.ts';
import { FakeClock } from './rate-limit-store-conformance.ts';

/** A memory store that records every key. */
class ReadStore extends MemoryRateLimitStore {
  readonly keys: string[] = [];
  override charge(counts: readonly CounterCharge[]) {
    this.keys.push(...counts.map(({ key }) => key));
    return super.charge(counts);
  }
}

function world() {
  const clock = new FakeClock();
  const store = new ReadStore(clock.now);
  return {
    clock,
    store,
    limiter: new RateLimiter({ store, factor: 1, quotas: new CallerQuotas(async () => [], clock.now) }),
  };
}

/** Seconds to wait, 0 if allowed. */
async function waitOf(call: Promise<void>): Promise<number> {
  try {
    await call;
    return 0;
  } catch (error) {
    if (!(error instanceof GraphQLError) || error.extensions.code !== 'THROTTLED') throw error;
    return Number(error.extensions.retryAfter);
  }
}

const minute = 60;
const hour = 3600;
const day = 86_400;

describe('An action limit', () => {
  const table: [ActionName, key: string, limit: number, seconds: number][] = [
    ['anonymous', '192.0.2.1', 60, minute],
    ['user', '7', 600, minute],
    ['authentication', '192.0.2.1', 60, minute],
    ['register', '192.0.2.1', 10, hour],
    ['guest', '192.0.2.1', 10, hour],
    ['mailFromIp', '192.0.2.1', 20, hour],
    ['mailedToken', '192.0.2.1', 20, hour],
    ['refresh', '7', 60, minute],
    ['guestAssessment', '192.0.2.1', 20, hour],
    ['message', '7', 60, minute],
    ['connect', '7', 30, day],
    ['groupEntry', '7', 50, day],
    ['report', '7', 20, day],
    ['comment', '7', 20, minute],
    ['ai', '7', 20, minute],
    ['guestAi', '7', 20, day],
    ['guestAiFromIp', '192.0.2.7', 60, day],
  ];

  test('has a test case', () => {
    expect(new Set(table.map(([name]) => name))).toEqual(new Set(Object.keys(actionLimits)));
  });

  test.each(table)('of %s for %s allows %i in %i seconds', async (action, key, limit, seconds) => {
    const { clock, limiter } = world();
    const spend = () => waitOf(limiter.charge([{ action, key }]));
    for (let at = 0; at < limit; at++) expect(await spend()).toBe(0);
    expect(await spend()).toBe(seconds);
    clock.pass(seconds);
    expect(await spend()).toBe(0);
  });

  test('of AI also allows 200 per day, and then returns the seconds to the end of the day', async () => {
    const { clock, limiter } = world();
    const spend = () => waitOf(limiter.charge([{ action: 'ai', key: '7' }]));
    for (let at = 0; at < 200; at++) {
      if (at > 0 && at % 20 === 0) clock.pass(minute);
      expect(await spend()).toBe(0);
    }
    expect(await spend()).toBe(day - 9 * minute);
    clock.pass(minute);
    expect(await spend()).toBe(day - 10 * minute);
  });

  test('is separate per caller and per action', async () => {
    const { limiter } = world();
    for (let at = 0; at < 60; at++) await limiter.charge([{ action: 'message', key: '7' }]);
    expect(await waitOf(limiter.charge([{ action: 'message', key: '7' }]))).toBe(minute);
    expect(await waitOf(limiter.charge([{ action: 'message', key: '8' }]))).toBe(0);
    expect(await waitOf(limiter.charge([{ action: 'comment', key: '7' }]))).toBe(0);
  });

  test('is not charged when another limit of the same request rejects', async () => {
    const { limiter } = world();
    const comment: Action = { action: 'comment', key: '7' };
    const ip: Action = { action: 'mailFromIp', key: '192.0.2.1' };
    for (let at = 0; at < 20; at++) await limiter.charge([comment]);
    for (let at = 0; at < 50; at++) expect(await waitOf(limiter.charge([ip, comment]))).toBe(minute);
    for (let at = 0; at < 20; at++) expect(await waitOf(limiter.charge([ip]))).toBe(0);
    expect(await waitOf(limiter.charge([ip]))).toBe(hour);
  });
});

describe('The failure', () => {
  test.each([
    [17, 'Request was throttled. Expected available in 17 seconds.'],
    [1, 'Request was throttled. Expected available in 1 second.'],
  ])('of %i s says so in the published words', (seconds, message) => {
    const error = tooManyRequests(seconds);
    expect(error.message).toBe(message);
    expect(error.extensions).toEqual({ code: 'THROTTLED', http: { status: 429 }, retryAfter: seconds });
  });
});

describe('Keys', () => {
  test('contain no e-mail address', async () => {
    const { store, limiter } = world();
    await tryChargeMail(limiter, 'activation', 'Ann.Jones@example.org', '192.0.2.1');
    await assertLoginAllowed(limiter, 'Ann.Jones@example.org', '192.0.2.1');
    await chargeFailedLogin(limiter, 'Ann.Jones@example.org', '192.0.2.1');
    expect(store.keys.length).toBeGreaterThan(4);
    for (const key of store.keys) expect(key).not.toMatch(/ann|jones|example|@/i);
  });

  test.each([
    ['in capitals', 'ANN@Example.ORG', 'ann@example.org'],
    ['with combining characters', 'jose\u0301@example.org', 'jos\u00e9@example.org'],
    ['with both', 'JOSE\u0301@example.org', 'jos\u00e9@example.org'],
  ])('of an e-mail address %s are the same', (_, one, other) => {
    expect(emailKey(one)).toBe(emailKey(other));
  });

  test('of different addresses differ', () => {
    const keys = ['ann@example.org', 'ann@example.com', 'anna@example.org', ' ann@example.org', ''].map(emailKey);
    expect(new Set(keys).size).toBe(keys.length);
  });

  test('of a very long address are computed without normalization', () => {
    const started = performance.now();
    emailKey(`a${'\u0301\u0323\u0327'.repeat(50_000)}@example.org`);
    // Normalization would take half a minute.
    expect(performance.now() - started).toBeLessThan(2000);
  });

  test.each([
    ['192.0.2.1', '192.0.2.1'],
    ['::ffff:192.0.2.1', '192.0.2.1'],
    ['::FFFF:c000:201', '192.0.2.1'],
    ['0:0:0:0:0:ffff:192.0.2.1', '192.0.2.1'],
    ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
    ['2001:db8:1:2:3:ffff:c000:201', '2001:db8:1:2::/64'],
    ['2001:0DB8:0001:0002::1', '2001:db8:1:2::/64'],
    ['2001:db8::1', '2001:db8:0:0::/64'],
    ['::1', '0:0:0:0::/64'],
    ['::', '0:0:0:0::/64'],
    ['1::', '1:0:0:0::/64'],
    ['64:ff9b:1::192.0.2.33', '64:ff9b:1:0::/64'],
    ['fe80::1%eth0', 'fe80:0:0:0::/64'],
    ['', 'unknown'],
    ['unix', 'unknown'],
    ['999.1.1.1', 'unknown'],
  ])('of the IP address «%s» is %s', (ip, key) => {
    expect(ipKey(ip)).toBe(key);
  });

  test('of two IPv6 /64 networks differ, within one /64 they are equal', async () => {
    const { limiter } = world();
    for (let at = 0; at < 10; at++) await limiter.charge([{ action: 'register', key: `2001:db8:1:2::${at}` }]);
    expect(await waitOf(limiter.charge([{ action: 'register', key: '2001:db8:1:2:ffff::1' }]))).toBe(hour);
    expect(await waitOf(limiter.charge([{ action: 'register', key: '2001:db8:1:3::1' }]))).toBe(0);
  });
});

describe('Mails to an address', () => {
  const ann = 'ann@example.org';
  /** Number of allowed requests of `times` requests from each of the IP addresses. */
  const allowed = async (limiter: RateLimiter, ips: number, times: number, mail: RequestedMail = 'password-reset') => {
    let count = 0;
    for (let ip = 0; ip < ips; ip++) {
      for (let at = 0; at < times; at++) if (await tryChargeMail(limiter, mail, ann, `192.0.2.${ip}`)) count++;
    }
    return count;
  };

  test('are limited to three per hour and IP address, separately for each IP address and kind of mail', async () => {
    const { clock, limiter } = world();
    expect(await allowed(limiter, 1, 5)).toBe(3);
    expect(await allowed(limiter, 1, 5, 'activation')).toBe(3);
    expect(await tryChargeMail(limiter, 'password-reset', ann, '198.51.100.1')).toBe(true);
    clock.pass(hour);
    expect(await allowed(limiter, 1, 5)).toBe(3);
  });

  test('are limited to 20 from many IP addresses, then one per 25 minutes, so that a link valid for an hour always exists', async () => {
    const { clock, limiter } = world();
    expect(await allowed(limiter, 100, 3)).toBe(21);
    clock.pass(25 * minute - 1);
    expect(await allowed(limiter, 100, 1)).toBe(0);
    clock.pass(1);
    expect(await allowed(limiter, 100, 1)).toBe(1);
    clock.pass(day);
    expect(await allowed(limiter, 100, 3)).toBe(21);
  });

  test('about a registration are limited per address only', async () => {
    const { limiter } = world();
    expect(await allowed(limiter, 3, 10, 'registration')).toBe(21);
  });
});

describe('Logins', () => {
  const ann = 'ann@example.org';
  const ip = '192.0.2.1';

  /** Attempts one login with the wrong password. Returns the seconds to wait, 0 if the password was checked. */
  const tryWrong = async (limiter: RateLimiter, email = ann, from = ip): Promise<number> => {
    const wait = await waitOf(assertLoginAllowed(limiter, email, from));
    return wait > 0 ? wait : waitOf(chargeFailedLogin(limiter, email, from));
  };
  const failTimes = async (limiter: RateLimiter, times: number, email = ann, from = ip): Promise<void> => {
    for (let at = 0; at < times; at++) expect(await tryWrong(limiter, email, from)).toBe(0);
  };

  test('are locked out for 15, 30 and 60 minutes after every ten failures, and never longer', async () => {
    const { clock, limiter } = world();
    for (const minutes of [15, 30, 60, 60, 60]) {
      await failTimes(limiter, 10);
      expect(await tryWrong(limiter)).toBe(minutes * minute);
      clock.pass(minutes * minute - 1);
      expect(await tryWrong(limiter)).toBe(1);
      clock.pass(1);
    }
  });

  test('have a lockout that further attempts do not extend', async () => {
    const { clock, limiter } = world();
    await failTimes(limiter, 10);
    for (let left = 15; left > 0; left--) {
      expect(await tryWrong(limiter)).toBe(left * minute);
      clock.pass(minute);
    }
    await failTimes(limiter, 10);
  });

  test('are reset by a success and by a day without a failure', async () => {
    const { clock, limiter } = world();
    await failTimes(limiter, 9);
    await clearFailedLogins(limiter, ann, ip);
    await failTimes(limiter, 10);
    expect(await tryWrong(limiter)).toBe(15 * minute);
    clock.pass(day);
    await failTimes(limiter, 10);
    expect(await tryWrong(limiter)).toBe(15 * minute);
  });

  test('of an address are locked out for the failing IP only', async () => {
    const { limiter } = world();
    await failTimes(limiter, 10);
    expect(await tryWrong(limiter)).toBeGreaterThan(0);
    expect(await waitOf(assertLoginAllowed(limiter, ann, '198.51.100.7'))).toBe(0);
    expect(await waitOf(assertLoginAllowed(limiter, 'bob@example.org', ip))).toBe(0);
  });

  test('of an address remain possible for its owner after any number of failures from other IP addresses', async () => {
    const { limiter } = world();
    for (let stranger = 0; stranger < 200; stranger++) await failTimes(limiter, 10, ann, `198.51.100.${stranger}`);
    expect(await waitOf(assertLoginAllowed(limiter, ann, ip))).toBe(0);
    expect(await waitOf(clearFailedLogins(limiter, ann, ip))).toBe(0);
  });

  test('fail at most 100 times a day from one IP address, for all e-mail addresses together and despite successes in between', async () => {
    const { clock, limiter } = world();
    for (let at = 0; at < 100; at++) {
      await clearFailedLogins(limiter, 'mallory@example.org', ip);
      await failTimes(limiter, 1, `somebody${at}@example.org`);
    }
    clock.pass(hour);
    expect(await tryWrong(limiter, 'one.more@example.org')).toBe(23 * hour);
    expect(await waitOf(assertLoginAllowed(limiter, 'one.more@example.org', '198.51.100.7'))).toBe(0);
    clock.pass(23 * hour);
    await failTimes(limiter, 1);
  });

  test('sent concurrently reveal no more than ten sequential ones', async () => {
    const { limiter } = world();
    const attempts = Array.from({ length: 60 }, () => assertLoginAllowed(limiter, ann, ip));
    expect(await Promise.all(attempts.map(waitOf))).toEqual(Array(60).fill(0));
    const waits = await Promise.all(Array.from({ length: 59 }, () => waitOf(chargeFailedLogin(limiter, ann, ip))));
    expect(waits.filter(wait => wait === 0)).toHaveLength(10);
    // The sixtieth has the correct password and gets the same response as the others.
    expect(await waitOf(clearFailedLogins(limiter, ann, ip))).toBe(15 * minute);
    expect(await tryWrong(limiter)).toBe(15 * minute);
  });

  test('with the correct password pass in any number at once', async () => {
    const { limiter } = world();
    const waits = await Promise.all(
      Array.from({ length: 50 }, async () => {
        await assertLoginAllowed(limiter, ann, ip);
        return waitOf(clearFailedLogins(limiter, ann, ip));
      }),
    );
    expect(waits).toEqual(Array(50).fill(0));
  });
});
