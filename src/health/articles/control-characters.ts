/**
 * Removes control characters other than tab and line ends, bidirectional overrides, byte order marks and unpaired
 * surrogates. PostgreSQL refuses NUL.
 */
export function stripControlCharacters(text: string): string {
  return (
    text
      .toWellFormed()
      // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what it looks for
      .replace(/[\0-\x08\x0B\x0C\x0E-\x1F\x7F-\x9F\u202A-\u202E\uFEFF\uFFFE\uFFFF]/g, '')
  );
}
