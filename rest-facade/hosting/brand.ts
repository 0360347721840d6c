/** Name of a header with the brand, such as X-Host-Media-Type. */
export function brandedHeader(brand: string, name: string): string {
  return `X-${brand.charAt(0).toUpperCase()}${brand.slice(1)}-${name}`;
}
