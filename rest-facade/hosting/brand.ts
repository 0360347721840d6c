/** The brand of the code hosting API. */
export interface Brand {
  /** In media types: `application/vnd.host+json`. */
  word: string;
  /** In headers: `X-Host-Media-Type`. */
  name: string;
}

/** The brand of the published contract, and of the operation files. */
export const publishedBrand: Brand = { word: 'host', name: 'Host' };

/** The brand whose clients work here. */
export const githubBrand: Brand = { word: 'github', name: 'GitHub' };

/** The brands in which every installation understands media types and request headers. */
const understoodBrands: readonly Brand[] = [publishedBrand, githubBrand];

/** The brands that requests may use: that of the installation, which alone is sent, and the understood ones. */
export const brandsOfRequests = (brand: Brand): readonly Brand[] => [
  brand,
  ...understoodBrands.filter(({ word }) => word !== brand.word),
];

/** Name of a header with the brand, such as X-Host-Media-Type. */
export const brandedHeader = ({ name }: Brand, header: string): string => `X-${name}-${header}`;

/** A text of an operation file, whose headers have the published brand, with those of another brand. */
export const rebranded = ({ name }: Brand, text: string): string =>
  text.replaceAll(`X-${publishedBrand.name}-`, `X-${name}-`);
