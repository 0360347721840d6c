import type { Operation } from 'operation-rest';

/** Names of properties that every object inherits: a text of a person is one of them as well as any other word. */
export const propertyWords = [
  'constructor',
  '__proto__',
  'toString',
  'valueOf',
  'hasOwnProperty',
  'prototype',
  'then',
] as const;

/** Texts that are looked up whole. */
const whole = ['constructor', '__proto__'];
/** Prose is looked up word by word. */
const texts = [
  ...whole,
  'I am a constructor and I have crushing chest pain',
  `${propertyWords.join(' ')} 3 constructor`,
];

/** A request that succeeds, for an operation. */
export interface ValidRequest {
  method: string;
  /** With its query. */
  path: string;
  body?: unknown;
  headers: Record<string, string>;
}

/** The requests of an operation with a property word in one place each: path, query, body, keys of the body, headers. */
export function withPropertyWords(
  { path: template, parameters }: Pick<Operation, 'path' | 'parameters'>,
  request: ValidRequest,
): ValidRequest[] {
  const [path = '', query = ''] = request.path.split('?');
  return [
    ...inPath(template, path).map(changed => ({ ...request, path: query === '' ? changed : `${changed}?${query}` })),
    ...parameters.flatMap(({ name }) => whole.map(text => ({ ...request, path: `${path}?${query}&${name}=${text}` }))),
    { ...request, path: `${path}?${query}&${propertyWords.map(word => `${word}=${word}`).join('&')}` },
    ...inBody(request.body).map(body => ({ ...request, body })),
    ...whole.map(word => ({ ...request, headers: { ...request.headers, ...headersOf(word) } })),
  ];
}

const headersOf = (word: string): Record<string, string> => ({
  accept: `application/vnd.github.${word}+json, ${word}/${word};${word}=${word}`,
  'accept-language': word,
  'if-none-match': word,
  'x-github-api-version': word,
  cookie: `${word}=${word}`,
  origin: `https://${word.replaceAll('_', 'x')}.example`,
});

/** Each variable segment of a path replaced. */
function inPath(template: string, path: string): string[] {
  const wanted = template.replace(/\/$/, '').split('/').reverse();
  const given = path.split('/').reverse();
  const offset = path.endsWith('/') ? 1 : 0;
  const places = wanted.flatMap((segment, at) => (/^\{\+?\w+\}$/.test(segment) ? [at + offset] : []));
  return places.flatMap(place =>
    whole.map(text =>
      given
        .map((one, at) => (at === place ? text : one))
        .toReversed()
        .join('/'),
    ),
  );
}

/** A JSON document with one of its values replaced, or with a key more. */
function inBody(body: unknown): unknown[] {
  if (typeof body !== 'object' || body === null) return [];
  const entries = Object.entries(body);
  const replaced = entries.flatMap(([key, value]) => {
    const others = value !== null && typeof value === 'object' ? [...inBody(value), ...texts.map(text => [text])] : [];
    return [...texts, ...others].map(other => changed(body, key, other));
  });
  if (Array.isArray(body)) return replaced;
  // As text: in a literal `__proto__` sets the prototype.
  const more = JSON.parse(`{${propertyWords.map(word => `"${word}":{"${word}":"${word}"}`).join()}}`);
  return [...replaced, Object.defineProperties({ ...body }, Object.getOwnPropertyDescriptors(more))];
}

function changed(body: object, key: string, value: unknown): unknown {
  return Array.isArray(body) ? body.map((one, at) => (String(at) === key ? value : one)) : { ...body, [key]: value };
}
