/** Milliseconds that the clocks of a zone are ahead of UTC at a moment. */
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

/** When clocks in `zone` show an hour and minute, `days` after the day that `now` is there. */
export function localTime(zone: string, now: Date, days: number, [hour, minute]: [number, number]): Date {
  const there = new Date(now.getTime() + utcOffsetMs(zone, now.getTime()));
  const shown = Date.UTC(there.getUTCFullYear(), there.getUTCMonth(), there.getUTCDate() + days, hour, minute);
  // As far ahead as it is about then; no demo day is told of in the hour in which clocks change.
  return new Date(shown - utcOffsetMs(zone, shown - utcOffsetMs(zone, shown)));
}
