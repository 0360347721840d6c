/** Brands whose headers are not spelled with one capital. */
const spellings: ReadonlyMap<string, string> = new Map([['github', 'GitHub']]);

/** The brand as headers spell it: `Host`, `GitHub`. The only place that decides so; the REST facade is given the result. */
export function brandName(brand: string): string {
  return spellings.get(brand) ?? `${brand.charAt(0).toUpperCase()}${brand.slice(1)}`;
}

/** Formats the name of a header that contains the brand: brand `host`, `X-` and `SSO` give `X-Host-SSO`. */
export function brandedHeaderName(brand: string, prefix: string, suffix: string): string {
  return `${prefix}${brandName(brand)}-${suffix}`;
}
