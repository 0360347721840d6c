const minute = 60;
const hour = 60 * minute;
const day = 24 * hour;

/** So much in so many seconds, counted from the first. */
export interface RateLimit {
  readonly limit: number;
  readonly seconds: number;
}

/** Whom the uses of a budget are counted for. */
export type ActionKey = 'ip' | 'user' | 'session';

interface ActionLimit {
  readonly per: ActionKey;
  /** All of them must have something left. */
  readonly limits: readonly RateLimit[];
}

const actionLimit = (per: ActionKey, ...limits: [limit: number, seconds: number][]): ActionLimit => ({
  per,
  limits: limits.map(([limit, seconds]) => ({ limit, seconds })),
});

/** How much one caller of the health API may do. Refused is 429 with the time to wait, save where another answer is named. */
export const actionLimits = {
  /** Every request without a credential, save those of `authentication`. */
  anonymous: actionLimit('ip', [60, minute]),
  /** Every request with one, guests included. */
  user: actionLimit('user', [600, minute]),
  /** Requests that log in, renew a session, register, activate or reset: what an address reads does not lock it out of them. */
  authentication: actionLimit('ip', [60, minute]),
  register: actionLimit('ip', [10, hour]),
  guest: actionLimit('ip', [10, hour]),
  /** Requests for a mail, whatever the address. What one address gets is in `mailBudgets`. */
  mailFromIp: actionLimit('ip', [20, hour]),
  /** Tokens out of mails that are tried: activation, confirmation of a reset. */
  mailedToken: actionLimit('ip', [20, hour]),
  /** Per session: the token of a session that has ended still names its user, whose renewals it must not use up. */
  refresh: actionLimit('session', [60, minute]),
  guestAssessment: actionLimit('ip', [20, hour]),
  message: actionLimit('user', [60, minute]),
  connect: actionLimit('user', [30, day]),
  comment: actionLimit('user', [20, minute]),
  ai: actionLimit('user', [20, minute], [200, day]),
  /** Beside `ai`, for guests. By address of origin as well: a guest account costs nothing, and ten of them an hour are free. */
  guestAi: actionLimit('user', [20, day]),
  guestAiFromIp: actionLimit('ip', [60, day]),
} satisfies Record<string, ActionLimit>;

export type ActionName = keyof typeof actionLimits;

/** Mails that anybody can have sent to an address. Each kind is counted for itself: no kind uses up another one. */
export type RequestedMail = 'registration' | 'activation' | 'password-reset';

/**
 * Mails to one address, for each kind. What is over is dropped in silence, as 201. Keys hold the SHA-256 of the address.
 *
 * `caller` is what one IP can have sent to one address, and the only count that a caller elsewhere cannot use up.
 * Registrations have `register` in its place. `total` bounds what many IPs send to one mailbox; it alone would let seven of
 * them silence an owner for a day. So where it is used up, one mail in `reserve` is still sent: less than half of the hour
 * that the link of a password reset lasts. An owner whose request is dropped then has a mail with a link that still works.
 * At worst a mailbox gets 20 + 58 mails of one kind in a day.
 */
export const mailLimits = {
  caller: { limit: 3, seconds: hour },
  total: { limit: 20, seconds: day },
  reserve: { limit: 1, seconds: 25 * minute },
} as const;

/** Failed logins. `run` is per e-mail address and IP together: nobody is ever locked out from everywhere by a stranger. */
export const loginLimits = {
  /**
   * So many failures one after the other, then a pause, then as many more and a longer one; the last pause repeats. A success
   * ends the run, and so do `seconds` without a failure. 10 an hour at worst, and the day's limit below comes before that.
   */
  run: { limit: 10, seconds: day, pauses: [15 * minute, 30 * minute, hour] },
  /** A success gives nothing back: whoever guesses the passwords of others could log in as himself in between. */
  ip: { limit: 100, seconds: day },
} as const;

/** Bad credentials of the hosting API in a row, from one address: see `hostingActorOf`, which says whose they are. */
export const badCredentialLimit = {
  limit: 10,
  seconds: 15 * minute,
  pauses: [5 * minute, 10 * minute, 15 * minute],
} as const;
