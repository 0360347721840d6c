/** Whether a client names HTML in its `Accept`, as browsers do. Clients of the APIs accept anything, or JSON. */
export function asksForHtml(accept: string | undefined): boolean {
  return accept !== undefined && /\btext\/html\b/i.test(accept);
}
