/** The colour of the product in mails and on pages; `--brand` of `src/pages/pages.css` is the same. White on it has a contrast of 6.4:1. */
export const brandColour = '#0b6b57';
