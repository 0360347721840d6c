import type { NegotiatedVariable } from './operation.ts';

/** What a request negotiated, by the names of `@negotiated(on:)`. */
interface NegotiatedValues {
  MEDIA_TYPE: string | undefined;
  VERSION: string | undefined;
}

/** Sets the `@negotiated` variables. A media type that the variable's enum lacks is read as `json`. */
export function addNegotiatedVariables(
  variables: Record<string, unknown>,
  negotiated: readonly NegotiatedVariable[],
  values: NegotiatedValues,
): void {
  for (const { name, on, choices, defaultValue } of negotiated) {
    const requested = values[on];
    const supported =
      choices === undefined || requested === undefined
        ? requested
        : [requested, 'json'].find(one => choices.has(String(one)));
    const value = supported ?? defaultValue;
    if (value !== undefined) variables[name] = value;
  }
}
