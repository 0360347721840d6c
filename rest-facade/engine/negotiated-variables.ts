import type { NegotiatedVariable } from './operation.ts';

/** What a request and the contract agreed on, by the names that `@negotiated` has for it. */
interface NegotiatedValues {
  MEDIA_TYPE: string | undefined;
  VERSION: string | undefined;
  PATHS: readonly string[];
}

/** Fills in what is not sent. A form that the enum does not know is plain JSON: unknown forms are ignored. */
export function addNegotiatedVariables(
  variables: Record<string, unknown>,
  agreements: readonly NegotiatedVariable[],
  agreed: NegotiatedValues,
): void {
  for (const { name, on, choices, defaultValue } of agreements) {
    const said = agreed[on];
    const taken =
      choices === undefined || said === undefined ? said : [said, 'json'].find(one => choices.has(String(one)));
    const value = taken ?? defaultValue;
    if (value !== undefined) variables[name] = value;
  }
}
