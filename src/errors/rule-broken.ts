import { GraphQLError } from 'graphql';

/** One entry of the published list of what breaks a rule. Clients match on `code`; `custom` has a message. */
export interface RuleEntry {
  resource?: string;
  field?: string;
  code: 'missing' | 'missing_field' | 'invalid' | 'already_exists' | 'unprocessable' | 'custom' | 'too_large';
  message?: string;
  index?: number;
  value?: string | number | readonly string[] | null;
}

/**
 * An input of the right shape that breaks a rule of the code hosting API: 422 with all that is wrong at once, as entries, or
 * as sentences where an endpoint publishes a list of those. Without entries `message` is the sentence that says it.
 */
export function ruleBroken(entries: readonly (RuleEntry | string)[], message = 'Validation Failed'): GraphQLError {
  const errors = entries.length > 0 ? { errors: entries } : {};
  return new GraphQLError(message, { extensions: { ...errors, code: 'RULE_BROKEN', http: { status: 422 } } });
}
