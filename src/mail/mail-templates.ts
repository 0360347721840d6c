import { type MailContent, type MailPart, type RenderedMail, renderLayout } from './mail-layout.ts';

interface LinkFacts {
  /** First or full name; empty when there is none. */
  name: string;
  /** Where to go; http or https. It usually holds the token. */
  link: string;
  /** How long the link works, counted from the moment the mail was asked for. */
  validHours: number;
}

interface ActivationFacts extends LinkFacts {
  /** How many registrations with different passwords wait for the address; 1 in mails that were queued without it. */
  registrations?: number;
}

interface NoticeFacts {
  name: string;
  /** A page where the password can be reset, if there is one. */
  resetLink?: string;
}

/** The mails there are, and what has to be known for each. */
export interface MailFacts {
  /** A first registration. */
  activation: ActivationFacts;
  /** Another link for a registration that waits: asked for again, registered again, or password reset before activation. */
  'activation-again': ActivationFacts;
  'password-reset': LinkFacts;
  'password-changed': NoticeFacts;
  /** Somebody registered with an address that has an active account. */
  'already-registered': NoticeFacts;
  'account-deleted': { name: string };
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
      'Was it not you? Then ignore this mail: your password stays as it is. Do not pass the link on, whoever asks for it.',
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
  'account-deleted': (_facts, at) => ({
    subject: 'Your Portico account was deleted',
    parts: [
      `Your Portico account was deleted on ${formatMoment(at)}, and all devices have been signed out. This is the last mail about it.`,
      'You can register again with this mail address whenever you like.',
      'Was it not you? Then somebody else knew your password. Change it everywhere else you use the same one, and tell the people who run this service.',
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
 * The mail in words. `at` is when it was asked for: what it says of times holds also when it is delivered late.
 * Throws TypeError on a link that is not http or https.
 */
export function renderMail<Name extends MailTemplate>(template: Name, facts: MailFacts[Name], at: Date): RenderedMail {
  return renderLayout({ ...templates[template](facts, at), greeting: greeting(facts.name) });
}

/**
 * Calls people by name only when it reads like one. Until an address is confirmed, anybody can have a mail sent to it
 * under any name, and «Visit evil.example» or a line of advertising must not arrive as our greeting.
 */
function greeting(name: string): string {
  const clean = name.trim().replace(/ +/g, ' ');
  const isName = /^[\p{L}\p{M}][\p{L}\p{M}\p{N} .'’-]{0,39}$/u.test(clean) && !/\.[^ ]/.test(clean);
  return isName ? `Hello ${clean},` : 'Hello,';
}

function linkButton(button: string, link: string): MailPart {
  const url = URL.parse(link);
  if (!url || !/^https?:$/.test(url.protocol)) throw new TypeError('A link in a mail leads to the web.');
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
