// Month prefixes in English and, because feeds write them against the standard, in Spanish, Portuguese, French, German, Italian, Dutch,
// the languages of Scandinavia, Polish, Turkish and Russian, without accents. French `juin` and `juillet` differ in the fourth letter.
const monthPatterns = [
  /^(jan|ene|gen|sty|oca|янв)/,
  /^(feb|fev|lut|sub|фев)/,
  /^(mar(?!r)|mae|mrz|mrt|мар)/,
  /^(apr|abr|avr|kwi|nis|апр)/,
  /^(may|mai|mag|maj|mei|май|мая|маи)/,
  /^(jun|juin|giu|cze|haz|июн)/,
  /^(jul|juil|lug|lip|tem|июл)/,
  /^(aug|ago|aou|sie|авг)/,
  /^(sep|set|wrz|eyl|сен)/,
  /^(oct|okt|out|ott|paz|eki|окт)/,
  /^(nov|lis|kas|ноя)/,
  /^(dec|dez|dic|des|gru|ara|дек)/,
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
  ['KST', 9],
  ['HKT', 8],
  ['SGT', 8],
  ['AEST', 10],
  ['AEDT', 11],
  ['NZST', 12],
  ['NZDT', 13],
  ['WEST', 1],
  ['AKST', -9],
  ['AKDT', -8],
  ['HST', -10],
  ['AST', -4],
  ['ADT', -3],
  ['BRT', -3],
]);

const timePattern =
  '(?<hour>\\d{1,2}):(?<minute>\\d\\d)(?::(?<second>\\d\\d)(?:[.,](?<fraction>\\d{1,9}))?)?\\s*(?<half>[ap]\\.?m\\.?)?';
const zonePattern =
  '(?:(?<zone>(?:GMT|UTC?|Z)?\\s*[+−-]\\d{1,2}(?::?\\d\\d)?(?=\\s|\\(|$)|[a-z]{1,5}(?![a-z+-]))(?:\\s+[a-z]{2,5})?)';
const weekdayPattern = '(?:\\p{L}{2,13}(?:\\.?,\\s*|\\.?\\s+))?';
const monthPattern = '(?<month>\\p{L}{3,10})';
const timeAfter = `(?:(?:,|\\s+(?:-|at|um|à|alle|om))?\\s+${timePattern}\\s*${zonePattern}?)?`;

/** RFC 3339 and ISO 8601 with optional parts, RFC 822, `June 3, 2024 …`, and the output of `date`, asctime, Go, Java and JavaScript. */
// recheck-ignore: a date has at most 100 characters
const datePatterns = [
  `(?<year>\\d{4})(?:[-/.](?<month>\\d{1,2})(?:[-/.](?<day>\\d{1,2})(?:(?:T|,?\\s+)${timePattern}\\s*${zonePattern}?)?)?)?`,
  `(?<year>\\d{4})(?<month>\\d\\d)(?<day>\\d\\d)(?:T?\\s*(?<hour>\\d\\d):?(?<minute>\\d\\d)(?::?(?<second>\\d\\d))?\\s*${zonePattern}?)?`,
  `${weekdayPattern}(?<day>\\d{1,2})(?:st|nd|rd|th|\\.)?(?:\\s+de|\\s+of)?[\\s/-]+${monthPattern}\\.?,?(?:\\s+de)?[\\s/-]+(?<year>\\d{4}|\\d\\d)${timeAfter}`,
  `${weekdayPattern}${monthPattern}\\.?\\s+(?<day>\\d{1,2})(?:st|nd|rd|th)?,?\\s+(?<year>\\d{4})${timeAfter}`,
  `${weekdayPattern}${monthPattern}\\s+(?<day>\\d{1,2})\\s+${timePattern}\\s+(?:${zonePattern}\\s+)?(?<year>\\d{4})`,
  `${weekdayPattern}(?<day>\\d{1,2})\\.(?<month>\\d{1,2})\\.(?<year>\\d{4})${timeAfter}`,
  `(?<first>\\d{1,2})/(?<other>\\d{1,2})/(?<year>\\d{4})${timeAfter}`,
].map(form => new RegExp(`^${form}(?:\\s*\\([^)]*\\))?$`, 'iu'));

/**
 * Parses a date of a feed; null when it is invalid. A time without a zone is UTC. Not `Date.parse`: it parses "chapter
 * 7" as a day in July 2001 and uses the local time zone.
 */
export function parseFeedDate(value: string): Date | null {
  const written = value.trim().slice(0, 100);
  if (/^\d{10}$|^\d{13}$/.test(written)) return new Date(Number(written) * (written.length === 10 ? 1000 : 1));
  const text = withLatinMarks(written).normalize('NFD').replace(/\p{M}/gu, '');
  for (const form of datePatterns) {
    const parts = form.exec(text)?.groups;
    if (parts) return buildDate(parts);
  }
  return null;
}

/** `2024年6月3日 下午3:05` and `2024년 6월 3일` as `2024-6-3 3:05 pm`. */
function withLatinMarks(date: string): string {
  if (!/[年년]/.test(date)) return date;
  return date
    .replace(/\s+/g, ' ')
    .replace(/ ?[年년月월] ?/g, '-')
    .replace(/ ?[日일] ?/, ' ')
    .replace(/(?:下午|午後|오후)\s*([\d:]+)/, '$1 pm')
    .replace(/(?:上午|午前|오전)\s*([\d:]+)/, '$1 am')
    .trim();
}

/** Day and month of `13/6/2024`; with a 12-hour clock the month is first. Null where either may be the month. */
function slashDate(first: string, other: string, half: string | undefined): { day: string; month: string } | null {
  if (Number(first) > 12) return { day: first, month: other };
  if (Number(other) > 12 || half || first === other) return { day: other, month: first };
  return null;
}

function buildDate(written: Partial<Record<string, string>>): Date | null {
  const slashed = written.first ? slashDate(written.first, written.other ?? '', written.half) : {};
  if (slashed === null) return null;
  const parts: Partial<Record<string, string>> = { ...written, ...slashed };
  const year = parseYear(parts.year ?? '');
  const month = /^\d/.test(parts.month ?? '1')
    ? Number(parts.month ?? 1) - 1
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
  return (hour % 12) + (/^p/i.test(half) ? 12 : 0);
}

/** Minutes ahead of UTC; null for an impossible offset. Unknown zone names are UTC, as RFC 2822 requires. */
function parseUtcOffset(zone: string | undefined): number | null {
  const offset = /([+−-])(\d{1,2}?):?(\d\d)?$/.exec(zone ?? '');
  if (!offset) return (zoneOffsets.get((zone ?? '').toUpperCase()) ?? 0) * 60;
  const [, sign, hours, rest = '0'] = offset;
  const minutes = Number(hours) * 60 + Number(rest);
  if (minutes > 24 * 60 || Number(rest) > 59) return null;
  return sign === '+' ? minutes : -minutes;
}
