/** UTC offset of a zone at an instant, in milliseconds. */
function utcOffsetMs(zone: string, moment: number): number {
  const format = new Intl.DateTimeFormat('en', {
    timeZone: zone,
    hourCycle: 'h23',
    year: 'numeric',
    month: 'numeric',
    day: 'numeric',
    hour: 'numeric',
    minute: 'numeric',
    second: 'numeric',
  });
  const part = Object.fromEntries(format.formatToParts(moment).map(({ type, value }) => [type, Number(value)]));
  const { year = 0, month = 1, day = 1, hour = 0, minute = 0, second = 0 } = part;
  return Date.UTC(year, month - 1, day, hour, minute, second) - Math.floor(moment / 1000) * 1000;
}

/** The instant at which clocks in `zone` show the hour and minute, `days` after the local day of `now`. */
export function localTime(zone: string, now: Date, days: number, [hour, minute]: [number, number]): Date {
  const there = new Date(now.getTime() + utcOffsetMs(zone, now.getTime()));
  const shown = Date.UTC(there.getUTCFullYear(), there.getUTCMonth(), there.getUTCDate() + days, hour, minute);
  // Uses the offset near the result; no demo entry falls into the hour of a clock change.
  return new Date(shown - utcOffsetMs(zone, shown - utcOffsetMs(zone, shown)));
}
