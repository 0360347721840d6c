// How the months start, in English and in what Spanish, Portuguese, French, German and Italian feeds write
// although the standard says English; accents are gone. French `juin` and `juillet` need their fourth letter.
const months = [
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

// Hours east of Greenwich. RFC 822 names the American zones; the others are the ones European feeds use.
const zones: Record<string, number> = {
  EST: -5,
  EDT: -4,
  CST: -6,
  CDT: -5,
  MST: -7,
  MDT: -6,
  PST: -8,
  PDT: -7,
  BST: 1,
  CET: 1,
  CEST: 2,
  EET: 2,
  EEST: 3,
  MSK: 3,
  JST: 9,
};

const time =
  '(?<hour>\\d{1,2}):(?<minute>\\d\\d)(?::(?<second>\\d\\d)(?:[.,](?<fraction>\\d{1,9}))?)?\\s*(?<half>[ap]m)?';
const zone = '(?<zone>(?:GMT|UTC)?\\s*[+-]\\d{1,2}:?\\d\\d|[a-z]{1,5})';
const weekday = '(?:[a-z]{2,13}\\.?,?\\s+)?';

/** RFC 3339 and its shorter relatives, RFC 822, `June 3, 2024 …`, and what `date` and asctime print. */
const forms = [
  `(?<year>\\d{4})[-/](?<month>\\d\\d)(?:[-/](?<day>\\d\\d)(?:(?:T|\\s+)${time}\\s*${zone}?)?)?`,
  `${weekday}(?<day>\\d{1,2})[\\s-]+(?<month>[a-z]{3,10})\\.?[\\s-]+(?<year>\\d{4}|\\d\\d)(?:,?\\s+${time}\\s*${zone}?)?`,
  `${weekday}(?<month>[a-z]{3,10})\\.?\\s+(?<day>\\d{1,2})(?:st|nd|rd|th)?,?\\s+(?<year>\\d{4})(?:,?\\s+${time}\\s*${zone}?)?`,
  `${weekday}(?<month>[a-z]{3,10})\\s+(?<day>\\d{1,2})\\s+${time}\\s+(?:${zone}\\s+)?(?<year>\\d{4})`,
].map(form => new RegExp(`^${form}(?:\\s*\\([^)]*\\))?$`, 'i'));

/**
 * A date as feeds write them, or null when it is none. A time without a zone is UTC.
 * `Date.parse` is not used: it reads "chapter 7" as a day in July 2001 and takes the zone of the machine.
 */
export function feedDate(written: string): Date | null {
  const text = written.trim().slice(0, 100).normalize('NFD').replace(/\p{M}/gu, '');
  for (const form of forms) {
    const parts = form.exec(text)?.groups;
    if (parts) return dateOf(parts);
  }
  return null;
}

function dateOf(parts: Partial<Record<string, string>>): Date | null {
  const year = fullYear(parts.year ?? '');
  const month = /^\d/.test(parts.month ?? '')
    ? Number(parts.month) - 1
    : months.findIndex(start => start.test((parts.month ?? '').toLowerCase()));
  const day = Number(parts.day ?? 1);
  const midnight = new Date(0);
  // Not Date.UTC, which takes the year 1 for 1901.
  midnight.setUTCFullYear(year, month, day);
  if (midnight.getUTCMonth() !== month || midnight.getUTCDate() !== day) return null;

  const hour = hourOf(Number(parts.hour ?? 0), parts.half);
  const minute = Number(parts.minute ?? 0);
  // A leap second is told as the second before it: Date has no room for it.
  const second = Math.min(Number(parts.second ?? 0), 59);
  const offset = minutesEast(parts.zone);
  if (hour > 24 || minute > 59 || Number(parts.second ?? 0) > 60 || offset === null) return null;
  const milliseconds = Math.floor(Number(`0.${parts.fraction ?? 0}`) * 1000);
  return new Date(midnight.getTime() + ((hour * 60 + minute - offset) * 60 + second) * 1000 + milliseconds);
}

/** Two digits as RFC 2822 reads them: 49 is 2049, 50 is 1950. */
function fullYear(year: string): number {
  return year.length > 2 ? Number(year) : Number(year) + (Number(year) < 50 ? 2000 : 1900);
}

function hourOf(hour: number, half: string | undefined): number {
  if (!half) return hour;
  return (hour % 12) + (half.toLowerCase() === 'pm' ? 12 : 0);
}

/** Null for an offset that exists nowhere. An unknown name is UTC, as RFC 2822 wants it. */
function minutesEast(zone: string | undefined): number | null {
  const offset = /([+-])(\d{1,2}):?(\d\d)$/.exec(zone ?? '');
  if (!offset) return (zones[(zone ?? '').toUpperCase()] ?? 0) * 60;
  const minutes = Number(offset[2]) * 60 + Number(offset[3]);
  if (minutes > 24 * 60 || Number(offset[3]) > 59) return null;
  return offset[1] === '-' ? -minutes : minutes;
}
