/** What tokens of tests are signed with, and what the passwords of the demo world follow from. */
export const testSecret = 'a secret for tests, and for nothing else';
