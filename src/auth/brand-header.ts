/** The name of a header with the brand in it: `X-` and `SSO` make X-Host-SSO. */
export function brandHeader(brand: string, before: string, after: string): string {
  return `${before}${brand.charAt(0).toUpperCase()}${brand.slice(1)}-${after}`;
}
