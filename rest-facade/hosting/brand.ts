/** The brand of the code hosting API. */
export interface Brand {
  /** In media types: `application/vnd.host+json`. */
  word: string;
  /** In headers: `X-Host-Media-Type`. */
  name: string;
}

/** The brand of the published contract, and of the operation files. */
export const publishedBrand: Brand = { word: 'host', name: 'Host' };

/** Name of a header with the brand, such as X-Host-Media-Type. */
export const brandedHeader = ({ name }: Brand, header: string): string => `X-${name}-${header}`;

/** A text of an operation file, whose headers have the published brand, with those of another brand. */
export const rebranded = ({ name }: Brand, text: string): string =>
  text.replaceAll(`X-${publishedBrand.name}-`, `X-${name}-`);
