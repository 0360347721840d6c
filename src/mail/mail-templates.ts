import { type MailContent, type MailPart, type RenderedMail, renderLayout } from './mail-layout.ts';

interface LinkFacts {
  /** First or full name; empty when there is none. */
  name: string;
  /** http or https URL. It usually contains a token. */
  link: string;
  /** Lifetime of the link, from the time of the request. */
  validHours: number;
}

interface ActivationFacts extends LinkFacts {
  /** Number of pending registrations of the address with different passwords; 1 in mails that were queued without it. */
  registrations?: number;
}

interface NoticeFacts {
  name: string;
  /** URL of the page to reset the password, if there is one. */
  resetLink?: string;
}

/** The templates, and the facts that each needs. */
export interface MailFacts {
  /** A first registration. */
  activation: ActivationFacts;
  /** Another link for a pending registration: requested again, registered again, or a password reset before activation. */
  'activation-again': ActivationFacts;
  'password-reset': LinkFacts;
  'password-changed': NoticeFacts;
  /** A registration with the address of an active account. */
  'already-registered': NoticeFacts;
  /** `erasure`: the number of the account and the days until its data is erased; absent in mails that were queued without it. */
  'account-deleted': { name: string; erasure?: { accountId: number; afterDays: number } };
  /** A warning by a moderator. */
  warning: { name: string; reason: string };
  /** A suspension by a moderator, until an instant in ISO 8601. */
  'account-suspended': { name: string; reason: string; until: string };
  /** An address that was added to an account of code hosting. */
  'email-verification': LinkFacts & { login: string };
  /** Failed attempts have locked the credentials of an account, or of an app of it. */
  'locked-out': { name: string; what: string; minutes: number };
  /** An invitation of an address to an organization; whoever has verified the address may accept it. */
  'organization-invitation': { name: string; organization: string; link: string };
}

export type MailTemplate = keyof MailFacts;

type Templates = { [Name in MailTemplate]: (facts: MailFacts[Name], at: Date) => Omit<MailContent, 'greeting'> };

const templates: Templates = {
  activation: ({ link, validHours }, at) => ({
    subject: 'Activate your Portico account',
    parts: [
      'Welcome to Portico. One step is left: confirm that this mail address is yours.',
      ...oneRegistration,
      linkButton('Activate my account', link),
      validityText(validHours, at),
      'Did you not register? Then somebody mistyped an address. You need not do anything: without this step there will be no account.',
    ],
  }),
  'activation-again': ({ link, validHours, registrations = 1 }, at) => ({
    subject: 'Finish your Portico registration',
    parts: [
      ...(registrations > 1 ? severalRegistrations(registrations) : oneRegistration),
      linkButton('Activate my account', link),
      validityText(validHours, at),
      'If you have got several of these mails, use the newest.',
      'Did you not register? Then please do not use the button. Without it there will be no account.',
    ],
  }),
  'password-reset': ({ link, validHours }, at) => ({
    subject: 'Choose a new password for Portico',
    parts: [
      'Somebody, probably you, asked for a new password for your Portico account.',
      linkButton('Choose a new password', link),
      validityText(validHours, at),
      'If you have got several of these mails, use the newest.',
      'Was it not you? Then ignore this mail: your password stays as it is. Do not pass the link on to anybody who asks for it.',
    ],
  }),
  'password-changed': ({ resetLink }, at) => ({
    subject: 'Your Portico password was changed',
    parts: [
      `The password of your Portico account was changed on ${formatMoment(at)}. All other devices have been signed out.`,
      'If that was you, everything is done.',
      'Was it not you? Then somebody else can open your account. Choose a new password at once, and change it everywhere else you use the same one.',
      ...resetButton(resetLink),
    ],
  }),
  'already-registered': ({ resetLink }) => ({
    subject: 'You already have a Portico account',
    parts: [
      'Somebody, probably you, just tried to register at Portico with this mail address. It already has an account, so no second one was made and nothing was changed.',
      'You can sign in with your password. If you do not remember it, choose a new one.',
      ...resetButton(resetLink),
      'Was it not you? Then you need not do anything. Nobody was told that you have an account.',
    ],
  }),
  'account-deleted': ({ erasure }, at) => ({
    subject: 'Your Portico account was deleted',
    parts: [
      `Your Portico account was deleted on ${formatMoment(at)}, and all devices have been signed out. This is the last mail about it.`,
      ...(erasure === undefined
        ? []
        : [
            `Its data is erased ${erasure.afterDays} days later. The people who run this service can confirm it to you: keep the number of the account, ${erasure.accountId}.`,
          ]),
      'You can register again with this mail address whenever you like.',
      'Was it not you? Then somebody else knew your password. Change it everywhere else you use the same one, and tell the people who run this service.',
    ],
  }),
  warning: ({ reason }, at) => ({
    subject: 'A warning about your Portico account',
    parts: [
      `The moderators of Portico looked at a report on ${formatMoment(at)}, and this is a warning:`,
      reason,
      'If it happens again, the account may be suspended.',
      'Was it not you? Then somebody else may know your password. Change it, and tell the people who run this service.',
    ],
  }),
  'email-verification': ({ login, link, validHours }, at) => ({
    subject: 'Verify your mail address for Portico',
    parts: [
      `The account ${login} says that this mail address is its own.`,
      linkButton('Verify the address', link),
      validityText(validHours, at),
      'Was it not you? Then please do not use the button: the address would belong to that account.',
    ],
  }),
  'locked-out': ({ what, minutes }, at) => ({
    subject: 'Your Portico credentials are locked for a while',
    parts: [
      `At ${formatMoment(at)} somebody had tried ten times to use ${what} with a wrong credential. All credentials of it are refused for ${minutes} minutes, yours included, and work again afterwards.`,
      'Was it a program of yours? Then give it a valid token.',
      'Was it not you? Then no credential was found out, and you need not do anything. If it happens again and again, tell the people who run this service.',
    ],
  }),
  'organization-invitation': ({ organization, link }) => ({
    subject: 'An organization invites you to Portico',
    parts: [
      `The organization ${organization} invites you to become a member. Sign in with an account that has this mail address, verified, and accept within 7 days.`,
      linkButton('Open the invitation', link),
      'Do you not know the organization? Then ignore this mail: nothing happens.',
    ],
  }),
  'account-suspended': ({ reason, until }) => ({
    subject: 'Your Portico account is suspended',
    parts: [
      `The moderators of Portico have suspended your account until ${formatMoment(new Date(until))}. All devices have been signed out.`,
      reason,
      'Your data stay as they are, and you can sign in again after that.',
      'Was it not you? Then somebody else may know your password. Tell the people who run this service.',
    ],
  }),
};

const oneRegistration = [
  'There is 1 registration with this mail address that has not been activated yet. Once you activate it, you can sign in with the password that was chosen with it.',
];

const severalRegistrations = (count: number): string[] => [
  `There are ${count} registrations with this mail address that have not been activated yet, each with a password of its own. None of these passwords will be used: you choose the password when you activate the account.`,
  'Did you register only once? Then another person has used your address too. Choose a password that you have used nowhere before; all other registrations become void.',
];

/**
 * Renders a mail. `at` is the time of the request, from which the times in the mail count, however late it is delivered.
 *
 * @throws TypeError for a link that is not http or https
 */
export function renderMail<Name extends MailTemplate>(template: Name, facts: MailFacts[Name], at: Date): RenderedMail {
  return renderLayout({ ...templates[template](facts, at), greeting: greeting(facts.name) });
}

/**
 * The greeting, with the name only if it looks like one. Until an address is confirmed, anyone can have a mail sent to it with any
 * name, such as «Visit evil.example» or an advertisement.
 */
function greeting(name: string): string {
  const clean = name.trim().replace(/ +/g, ' ');
  const isName = /^[\p{L}\p{M}][\p{L}\p{M}\p{N} .'’-]{0,39}$/u.test(clean) && !/\.[^ ]/.test(clean);
  return isName ? `Hello ${clean},` : 'Hello,';
}

function linkButton(button: string, link: string): MailPart {
  const url = URL.parse(link);
  if (!url || !/^https?:$/.test(url.protocol)) throw new TypeError('A link in a mail must be http or https.');
  return { button, link: url.href };
}

const resetButton = (link: string | undefined): MailPart[] =>
  link === undefined ? [] : [linkButton('Choose a new password', link)];

function validityText(hours: number, at: Date): string {
  const span = hours === 1 ? 'one hour' : `${hours} hours`;
  return `The link works once, for ${span}: until ${formatMoment(new Date(at.getTime() + hours * 3_600_000))}.`;
}

const dateFormat = new Intl.DateTimeFormat('en-GB', {
  weekday: 'long',
  day: 'numeric',
  month: 'long',
  year: 'numeric',
  hour: '2-digit',
  minute: '2-digit',
  timeZone: 'UTC',
});

/** Such as «Tuesday 3 November 2026 at 12:00 UTC». */
const formatMoment = (at: Date): string => `${dateFormat.format(at)} UTC`;
