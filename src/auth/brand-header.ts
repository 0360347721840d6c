/** The name of a header with the brand in it: `X-` and `SSO` make X-Host-SSO. */
export function brandedHeaderName(brand: string, prefix: string, suffix: string): string {
  return `${prefix}${brand.charAt(0).toUpperCase()}${brand.slice(1)}-${suffix}`;
}
