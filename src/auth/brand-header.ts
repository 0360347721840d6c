/** Formats the name of a header that contains the brand: brand `host`, `X-` and `SSO` give `X-Host-SSO`. */
export function brandedHeaderName(brand: string, prefix: string, suffix: string): string {
  return `${prefix}${brand.charAt(0).toUpperCase()}${brand.slice(1)}-${suffix}`;
}
