/** Ends the login of the account as which an app acts: `<slug>[bot]`. Migration 049 makes it. */
const suffix = '[bot]';

/** The slug of the app that acts as the account with this login. */
export const slugOfBot = (login: string): string => login.slice(0, -suffix.length);
