import type { NegotiatedMediaType, Problem, RestContext } from 'operation-rest';
import { type Brand, brandedHeader } from './brand.ts';

/** Ranges that accept JSON without asking for it. */
const wildcards = new Set(['*/*', 'application/*']);

/**
 * Parses `Accept` by the grammar `application/vnd.<brand>[.v3][.form][+json]`. The first supported range is selected, whatever its
 * quality, because published clients list their preference first. Whether an endpoint has the form is not checked here. A request that
 * accepts anything gets the endpoint's default, and with the brand of GitHub JSON everywhere.
 */
export function mediaTypeNegotiator(brand: Brand): (accept: string | undefined) => Problem | NegotiatedMediaType {
  const name = brandedHeader(brand, 'Media-Type');
  const { word } = brand;
  // recheck-ignore: linear, because a word of the form begins at a dot and has none
  const vendor = new RegExp(`^application/vnd\\.${word}((?:\\.[\\w-]+)*)(\\+json)?$`);
  // GitHub's own service answers JSON where its documentation says raw, and its clients rely on it.
  const asService = word === 'github' ? 'json' : undefined;
  const plain = (variant: string | undefined, sent?: string): NegotiatedMediaType => ({
    variant,
    sent,
    headers: { [name]: `unknown, ${word}.v3` },
  });
  const read = (range: string): NegotiatedMediaType | undefined => {
    const [written = '', ...parameters] = range.split(';').map(part => part.trim().toLowerCase());
    if (parameters.some(one => /^q=0(\.0*)?$/.test(one))) return undefined;
    if (wildcards.has(written)) return plain(asService);
    if (written === 'application/json') return plain('json', written);
    const [found, words = '', json] = vendor.exec(written) ?? [];
    if (found === undefined) return undefined;
    const [form] = words.split('.').filter(word => word !== '' && word !== 'v3');
    const parts = [`${word}.v3`, form && `param=${form}`, json && 'format=json'].filter(Boolean);
    return { variant: form ?? 'json', sent: written, headers: { [name]: parts.join('; ') } };
  };
  return accept => {
    if (accept === undefined || accept.trim() === '') return plain(asService);
    for (const range of accept.split(',')) {
      const media = read(range);
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
