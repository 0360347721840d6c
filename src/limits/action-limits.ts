const minute = 60;
const hour = 60 * minute;
const day = 24 * hour;

/** At most `limit` in `seconds`, counted from the first use. */
export interface RateLimit {
  readonly limit: number;
  readonly seconds: number;
}

/** What identifies the caller of an action. */
export type ActionKey = 'ip' | 'user' | 'session';

interface ActionLimit {
  readonly per: ActionKey;
  /** None of them may be exceeded. */
  readonly limits: readonly RateLimit[];
}

const actionLimit = (per: ActionKey, ...limits: [limit: number, seconds: number][]): ActionLimit => ({
  per,
  limits: limits.map(([limit, seconds]) => ({ limit, seconds })),
});

/** Rate limits of actions of the health API. An exceeded limit is 429 with the time to wait, unless stated otherwise. */
export const actionLimits = {
  /** Every request without a credential, except those of `authentication`. */
  anonymous: actionLimit('ip', [60, minute]),
  /** Every request with a credential, guests included. */
  user: actionLimit('user', [600, minute]),
  /** Login, session renewal, registration, activation and password reset. Separate, so that reading does not block a login. */
  authentication: actionLimit('ip', [60, minute]),
  register: actionLimit('ip', [10, hour]),
  guest: actionLimit('ip', [10, hour]),
  /** Requests that send a mail, to any address. `mailLimits` limits the mails per address. */
  mailFromIp: actionLimit('ip', [20, hour]),
  /** Attempts to use a token from a mail: activation, confirmation of a password reset. */
  mailedToken: actionLimit('ip', [20, hour]),
  /** Per session: a token of an ended session still names its user and must not use up that user's renewals. */
  refresh: actionLimit('session', [60, minute]),
  guestAssessment: actionLimit('ip', [20, hour]),
  message: actionLimit('user', [60, minute]),
  connect: actionLimit('user', [30, day]),
  /** Requests to join a group, and invitations to one. */
  groupEntry: actionLimit('user', [50, day]),
  report: actionLimit('user', [20, day]),
  comment: actionLimit('user', [20, minute]),
  ai: actionLimit('user', [20, minute], [200, day]),
  /** For guests in addition to `ai`. Also per IP address, because an address can create ten guest accounts per hour. */
  guestAi: actionLimit('user', [20, day]),
  guestAiFromIp: actionLimit('ip', [60, day]),
} satisfies Record<string, ActionLimit>;

export type ActionName = keyof typeof actionLimits;

/** Mails that anyone can request for an address. Each kind has its own counters. */
export type RequestedMail =
  | 'registration'
  | 'activation'
  | 'password-reset'
  | 'organization-invitation'
  | 'email-verification';

/**
 * Limits of mails to one address, per kind. A mail over the limit is dropped silently with 201. Keys contain the SHA-256 of the
 * address.
 *
 * `caller` limits one IP per address; other callers cannot use it up. Registrations use `register` instead. `total` limits what
 * many IPs send to one mailbox. Alone it would let seven IPs block all mails to an owner for a day, so when it is used up, one
 * mail per `reserve` is still sent. Its interval is less than half of the hour that a password reset link is valid, so an owner
 * whose request is dropped has a mail with a valid link. The maximum is 20 + 58 mails of one kind per day.
 */
export const mailLimits = {
  caller: { limit: 3, seconds: hour },
  total: { limit: 20, seconds: day },
  reserve: { limit: 1, seconds: 25 * minute },
} as const;

/** Failed logins. `run` is per pair of e-mail address and IP, so that a stranger cannot lock an account out everywhere. */
export const loginLimits = {
  /**
   * After `limit` consecutive failures a lockout, after as many more a longer one; the last one repeats. A successful login, or
   * `seconds` without a failure, resets the counter. At most 10 attempts per hour, and fewer by the limit per day below.
   */
  run: { limit: 10, seconds: day, lockoutSeconds: [15 * minute, 30 * minute, hour] },
  /** A success does not reset it: an attacker could log in to an own account between guesses. */
  ip: { limit: 100, seconds: day },
} as const;

/** Mails that tell an owner of a lockout. */
export const lockoutMailLimit = { limit: 3, seconds: day } as const;

/** Consecutive bad credentials of the hosting API, per owner and IP address: see `credential-limits.ts`. */
export const badCredentialLimit = {
  limit: 10,
  seconds: 15 * minute,
  lockoutSeconds: [5 * minute, 10 * minute, 15 * minute],
} as const;
