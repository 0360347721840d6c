/** The first that a header of this kind contains. Browsers name others for compatibility: the most specific one comes first. */
const browsers: readonly (readonly [mark: string, name: string])[] = [
  ['Edg', 'Edge'],
  ['OPR/', 'Opera'],
  ['SamsungBrowser/', 'Samsung Internet'],
  ['Firefox/', 'Firefox'],
  ['FxiOS/', 'Firefox'],
  ['Chrome/', 'Chrome'],
  ['CriOS/', 'Chrome'],
  ['Safari/', 'Safari'],
];
const systems: readonly (readonly [mark: string, name: string])[] = [
  ['iPhone', 'iPhone'],
  ['iPad', 'iPad'],
  ['Android', 'Android'],
  ['Windows', 'Windows'],
  ['CrOS', 'ChromeOS'],
  ['Mac OS X', 'macOS'],
  ['Linux', 'Linux'],
];

const maxHeaderLength = 512;
const maxNameLength = 40;

/**
 * What a person recognises a device by, such as «Firefox on Windows», or the name of the program; empty for no header. The header itself
 * is not stored: with its versions it would tell people apart.
 */
export function deviceName(userAgent: string | undefined): string {
  const text = (userAgent ?? '').slice(0, maxHeaderLength);
  const nameIn = (list: typeof browsers): string | undefined => list.find(([mark]) => text.includes(mark))?.[1];
  const browser = nameIn(browsers);
  const system = nameIn(systems);
  const program = browser ?? (/^[\w.-]+/.exec(text)?.[0] ?? '').slice(0, maxNameLength);
  return program !== '' && system !== undefined ? `${program} on ${system}` : program;
}
