/** Policy of the pages: nothing runs, nothing is loaded from elsewhere, and no other site shows the page in a frame. */
export const contentSecurityPolicy = [
  "default-src 'none'",
  "style-src 'self'",
  "img-src 'self' data:",
  "form-action 'self'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
].join('; ');
