import type { NegotiatedMediaType, Problem, RequestHeaders, RestContext } from 'operation-rest';
import { type Brand, brandedHeader, brandsOfRequests, githubBrand } from './brand.ts';

/** Ranges that accept JSON without asking for it. */
const wildcards = new Set(['*/*', 'application/*']);

/** PyGithub sends no version and no media type of GitHub, and parses every response as JSON. */
const jsonClients = /^PyGithub\//;

/**
 * Parses `Accept` by the grammar `application/vnd.<brand>[.v3][.form][+json]`, in any of the understood brands; what is sent has the
 * brand of the installation. The first supported range is selected, whatever its quality, because published clients list their
 * preference first. Whether an endpoint has the form is not checked here. A request that accepts anything gets the endpoint's default,
 * and JSON everywhere with the brand of GitHub or from a client that names itself as one of GitHub.
 */
export function mediaTypeNegotiator(
  brand: Brand,
): (accept: string | undefined, headers?: RequestHeaders) => Problem | NegotiatedMediaType {
  const name = brandedHeader(brand, 'Media-Type');
  const { word } = brand;
  const words = brandsOfRequests(brand).map(one => one.word);
  // recheck-ignore: linear, because a word of the form begins at a dot and has none
  const vendor = new RegExp(`^application/vnd\\.(?:${words.join('|')})((?:\\.[\\w-]+)*)(\\+json)?$`);
  const versionOfGithub = brandedHeader(githubBrand, 'Api-Version').toLowerCase();
  // GitHub's own service answers JSON where its documentation says raw, and its clients rely on it.
  const wantsJson = (headers: RequestHeaders): boolean =>
    word === githubBrand.word ||
    headers[versionOfGithub] !== undefined ||
    jsonClients.test(headers['user-agent'] ?? '');
  const plain = (variant: string | undefined, sent?: string): NegotiatedMediaType => ({
    variant,
    sent,
    headers: { [name]: `unknown, ${word}.v3` },
  });
  const anyOf = (headers: RequestHeaders): NegotiatedMediaType => plain(wantsJson(headers) ? 'json' : undefined);
  const read = (range: string, headers: RequestHeaders): NegotiatedMediaType | undefined => {
    const [written = '', ...parameters] = range.split(';').map(part => part.trim().toLowerCase());
    if (parameters.some(one => /^q=0(\.0*)?$/.test(one))) return undefined;
    if (wildcards.has(written)) return anyOf(headers);
    if (written === 'application/json') return plain('json', written);
    const [found, forms = '', json = ''] = vendor.exec(written) ?? [];
    if (found === undefined) return undefined;
    const [form] = forms.split('.').filter(one => one !== '' && one !== 'v3');
    const parts = [`${word}.v3`, form && `param=${form}`, json && 'format=json'].filter(Boolean);
    const sent = `application/vnd.${word}${forms}${json}`;
    return { variant: form ?? 'json', sent, headers: { [name]: parts.join('; ') } };
  };
  return (accept, headers = {}) => {
    if (accept === undefined || accept.trim() === '') return anyOf(headers);
    for (const range of accept.split(',')) {
      const media = read(range, headers);
      if (media) return media;
    }
    return { kind: 'not-acceptable', accept };
  };
}

/** The Content-Type of a response that is not JSON: the media type as requested, else the default name of the form. */
export function contentTypeForForm(
  brandWord: string,
  form: string,
): (value: unknown, restContext: RestContext) => string {
  return (_value, { media }) => {
    const type = media?.variant === form ? media.sent : undefined;
    return `${type ?? `application/vnd.${brandWord}.${form}`}; charset=utf-8`;
  };
}
