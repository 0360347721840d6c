/** SECRET_KEY of tests: signs their tokens and determines the passwords of the demo data. */
export const testSecret = 'a secret for tests, and for nothing else';
