import type { VersionPolicy } from 'operation-rest';
import { type Brand, brandedHeader, brandsOfRequests } from './brand.ts';

/** Newest first. Each one is supported for at least 24 months after its successor. */
export const apiVersions = ['2026-03-10', '2022-11-28'] as const;

/** API versions, selected by `X-Host-Api-Version` or the header of another understood brand. The default is the older one, which existing clients were written for. */
export function versionPolicy(brand: Brand, docsUrl: (origin: string) => string): VersionPolicy {
  const [header = '', ...otherHeaders] = brandsOfRequests(brand).map(one => brandedHeader(one, 'Api-Version'));
  return {
    header,
    otherHeaders,
    selectedHeader: brandedHeader(brand, 'Api-Version-Selected'),
    supported: apiVersions,
    defaultVersion: '2022-11-28',
    deprecation: (_version, { origin }) => ({
      headers: { Deprecation: 'Tue, 10 Mar 2026 00:00:00 GMT', Sunset: 'Fri, 10 Mar 2028 00:00:00 GMT' },
      link: `<${docsUrl(origin)}/rest/about-the-rest-api/api-versions>; rel="deprecation"; type="text/html"`,
    }),
  };
}

/** The published message for an unsupported version. */
export function unsupportedVersionMessage(header: string, value: string): string {
  const [newest, ...others] = apiVersions.map(one => `"${one}"`);
  const list = [`${newest} (most recent)`, ...others].join(' and ');
  return `The version you specified in the "${header}" request header, "${value}", is not a supported version. The following versions are currently supported: ${list}.`;
}
