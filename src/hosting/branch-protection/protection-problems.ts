import { absent, validationFailed } from '../../errors/errors.ts';

/** Published problems of protected branches: clients match on the sentences. */
export const protectionProblems = {
  noStatusChecks: () => absent({}, 'Required status checks not enabled'),
  noReviews: () => absent({}, 'Required pull request reviews not enabled'),
  noRestrictions: () => absent({}, 'Push restrictions not enabled'),
  personal: () => validationFailed([], 'Only organization repositories can have users and team restrictions'),
  invalid: (field: string, value: string) =>
    validationFailed([
      { resource: 'ProtectedBranch', field, code: 'invalid', value: value.slice(0, 100).toWellFormed() },
    ]),
  custom: (field: string, message: string) =>
    validationFailed([{ resource: 'ProtectedBranch', field, code: 'custom', message }]),
  notSupplied: (names: readonly string[]) =>
    validationFailed([], ['Invalid request.', '', ...names.map(name => `"${name}" wasn't supplied.`)].join('\n')),
};
