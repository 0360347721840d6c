// Month prefixes in English and, because feeds write them against the standard, in Spanish, Portuguese, French, German
// and Italian, without accents. French `juin` and `juillet` differ in the fourth letter.
const monthPatterns = [
  /^(jan|ene|gen)/,
  /^(feb|fev)/,
  /^(mar|mae|mrz)/,
  /^(apr|abr|avr)/,
  /^(may|mai|mag)/,
  /^(jun|juin|giu)/,
  /^(jul|juil|lug)/,
  /^(aug|ago|aou)/,
  /^(sep|set)/,
  /^(oct|okt|out|ott)/,
  /^nov/,
  /^(dec|dez|dic)/,
];

// Hours ahead of UTC. RFC 822 defines the American zones; European feeds use the others.
const zoneOffsets: ReadonlyMap<string, number> = new Map([
  ['EST', -5],
  ['EDT', -4],
  ['CST', -6],
  ['CDT', -5],
  ['MST', -7],
  ['MDT', -6],
  ['PST', -8],
  ['PDT', -7],
  ['BST', 1],
  ['CET', 1],
  ['CEST', 2],
  ['EET', 2],
  ['EEST', 3],
  ['MSK', 3],
  ['JST', 9],
]);

const timePattern =
  '(?<hour>\\d{1,2}):(?<minute>\\d\\d)(?::(?<second>\\d\\d)(?:[.,](?<fraction>\\d{1,9}))?)?\\s*(?<half>[ap]m)?';
const zonePattern = '(?<zone>(?:GMT|UTC)?\\s*[+-]\\d{1,2}:?\\d\\d|[a-z]{1,5})';
const weekdayPattern = '(?:[a-z]{2,13}\\.?,?\\s+)?';

/** RFC 3339 with optional parts, RFC 822, `June 3, 2024 …`, and the output of `date` and asctime. */
// recheck-ignore: a date has at most 100 characters
const datePatterns = [
  `(?<year>\\d{4})[-/](?<month>\\d\\d)(?:[-/](?<day>\\d\\d)(?:(?:T|\\s+)${timePattern}\\s*${zonePattern}?)?)?`,
  `${weekdayPattern}(?<day>\\d{1,2})[\\s-]+(?<month>[a-z]{3,10})\\.?[\\s-]+(?<year>\\d{4}|\\d\\d)(?:,?\\s+${timePattern}\\s*${zonePattern}?)?`,
  `${weekdayPattern}(?<month>[a-z]{3,10})\\.?\\s+(?<day>\\d{1,2})(?:st|nd|rd|th)?,?\\s+(?<year>\\d{4})(?:,?\\s+${timePattern}\\s*${zonePattern}?)?`,
  `${weekdayPattern}(?<month>[a-z]{3,10})\\s+(?<day>\\d{1,2})\\s+${timePattern}\\s+(?:${zonePattern}\\s+)?(?<year>\\d{4})`,
].map(form => new RegExp(`^${form}(?:\\s*\\([^)]*\\))?$`, 'i'));

/**
 * Parses a date of a feed; null when it is invalid. A time without a zone is UTC. Not `Date.parse`: it parses "chapter
 * 7" as a day in July 2001 and uses the local time zone.
 */
export function parseFeedDate(value: string): Date | null {
  const text = value.trim().slice(0, 100).normalize('NFD').replace(/\p{M}/gu, '');
  for (const form of datePatterns) {
    const parts = form.exec(text)?.groups;
    if (parts) return buildDate(parts);
  }
  return null;
}

function buildDate(parts: Partial<Record<string, string>>): Date | null {
  const year = parseYear(parts.year ?? '');
  const month = /^\d/.test(parts.month ?? '')
    ? Number(parts.month) - 1
    : monthPatterns.findIndex(start => start.test((parts.month ?? '').toLowerCase()));
  const day = Number(parts.day ?? 1);
  const midnight = new Date(0);
  // Not Date.UTC, which maps the year 1 to 1901.
  midnight.setUTCFullYear(year, month, day);
  if (midnight.getUTCMonth() !== month || midnight.getUTCDate() !== day) return null;

  const hour = to24Hours(Number(parts.hour ?? 0), parts.half);
  const minute = Number(parts.minute ?? 0);
  // A leap second becomes the second before it, because Date cannot represent it.
  const second = Math.min(Number(parts.second ?? 0), 59);
  const offset = parseUtcOffset(parts.zone);
  if (hour > 24 || minute > 59 || Number(parts.second ?? 0) > 60 || offset === null) return null;
  const milliseconds = Math.floor(Number(`0.${parts.fraction ?? 0}`) * 1000);
  return new Date(midnight.getTime() + ((hour * 60 + minute - offset) * 60 + second) * 1000 + milliseconds);
}

/** Two-digit years as in RFC 2822: 49 is 2049, 50 is 1950. */
function parseYear(year: string): number {
  return year.length > 2 ? Number(year) : Number(year) + (Number(year) < 50 ? 2000 : 1900);
}

function to24Hours(hour: number, half: string | undefined): number {
  if (!half) return hour;
  return (hour % 12) + (half.toLowerCase() === 'pm' ? 12 : 0);
}

/** Minutes ahead of UTC; null for an impossible offset. Unknown zone names are UTC, as RFC 2822 requires. */
function parseUtcOffset(zone: string | undefined): number | null {
  const offset = /([+-])(\d{1,2}):?(\d\d)$/.exec(zone ?? '');
  if (!offset) return (zoneOffsets.get((zone ?? '').toUpperCase()) ?? 0) * 60;
  const minutes = Number(offset[2]) * 60 + Number(offset[3]);
  if (minutes > 24 * 60 || Number(offset[3]) > 59) return null;
  return offset[1] === '-' ? -minutes : minutes;
}
