/** Headers of a public picture that pages of any origin may show. Opened as a page, it neither runs nor loads anything. */
export const pictureHeaders = (maxAgeSeconds: number): Record<string, string> => ({
  'Cache-Control': `public, max-age=${maxAgeSeconds}`,
  'Access-Control-Allow-Origin': '*',
  'Content-Security-Policy': "default-src 'none'; sandbox",
  'Cross-Origin-Resource-Policy': 'cross-origin',
});
