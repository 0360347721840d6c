import fc from 'fast-check';

/** Values that have broken servers: at the limits of types, encodings, memory and parsers. */
export const fuzzText = fc.oneof(
  { weight: 4, arbitrary: fc.constantFrom(...notorious()) },
  { weight: 2, arbitrary: fc.string({ unit: 'binary', maxLength: 20 }) },
  { weight: 1, arbitrary: fc.string({ unit: 'grapheme', maxLength: 20 }) },
  { weight: 1, arbitrary: fc.integer().map(String) },
  { weight: 1, arbitrary: fc.double().map(String) },
);

function notorious(): string[] {
  return [
    ...['', ' ', '\0', 'a\0b', '\n', '\r\nX-Injected: 1', '\u2028', '\u202e', '\ufeff', '\ud800', '𝒳', 'ﷺ', 'İ', 'ß'],
    ...['0', '-0', '1', '-1', '1.5', '1e3', '1e309', '-1e309', 'NaN', 'Infinity', '0x10', '1_000', '٣', '1 '],
    ...['2147483647', '2147483648', '-2147483649', '9007199254740991', '9007199254740993', '9'.repeat(400)],
    ...['null', 'undefined', 'true', 'false', '[]', '{}', '[object Object]', '__proto__', 'constructor', 'toString'],
    ...[
      "'",
      '"',
      '\\',
      '%',
      '_',
      '%%',
      '$1',
      '\\x00',
      "' or 1=1 --",
      '); drop table article; --',
      '{{7*7}}',
      '$' + '{7}',
    ],
    ...[
      '../..',
      '..%2f..%2f',
      '.',
      '..',
      '//',
      '\\\\',
      'C:\\',
      'file:///etc/passwd',
      'http://a.example/',
      '?',
      '#',
      '&',
      '=',
      ';',
    ],
    ...[
      'a,b',
      ',',
      ',,,',
      '-',
      '--id',
      '-id,-id',
      '"',
      '""',
      '"open',
      'last',
      'first',
      'who',
      'WHO',
      'x'.repeat(3_000),
    ],
    ...['a '.repeat(500), '"a" '.repeat(30), '('.repeat(200), '%'.repeat(200), '_'.repeat(200), '\\'.repeat(201)],
  ];
}

/** Invalid and unusual percent-encodings, used unchanged in a request target. */
export const fuzzEscapes = fc.constantFrom(
  '%',
  '%z',
  '%zz',
  '%0',
  '%00',
  '%2',
  '%2f',
  '%2e%2e%2f',
  '%252f',
  '%c0%af',
  '%e0%a4',
  '%ff',
  '%ed%a0%80',
  '%u0041',
  '%0d%0aX:1',
);

/** Bodies, as bytes. */
export const fuzzBody: fc.Arbitrary<Buffer> = fc.oneof(
  fc.constantFrom(
    ...[
      '',
      ' ',
      '\0',
      '{',
      '}',
      '[',
      ']',
      '"',
      '{}',
      '[]',
      'null',
      'true',
      '0',
      '""',
      '{"a":1}',
      '{"a":1,"a":2}',
      '[{}]',
      '{"":""}',
      '{"__proto__":{"polluted":true}}',
      '{"constructor":{"prototype":{"polluted":true}}}',
      '{"a":1e400}',
      '{"a":-1e400}',
      '{"a":NaN}',
      '{"a":"\\ud800"}',
      '{"a":"\\u0000"}',
      '{"a":\'b\'}',
      '{a:1}',
      '{"a":1,}',
      '// c\n{}',
      '\ufeff{}',
      'a=1&b=2',
      '<a/>',
      `{"a":${'9'.repeat(5_000)}}`,
      '['.repeat(20_000),
      `${'['.repeat(5_000)}${']'.repeat(5_000)}`,
      `${'{"a":'.repeat(5_000)}1${'}'.repeat(5_000)}`,
      `{"a":"${'x'.repeat(50_000)}"}`,
      `{${Array.from({ length: 2_000 }, (_, at) => `"k${at}":${at}`).join()}}`,
    ].map(text => Buffer.from(text)),
    Buffer.from([0xff, 0xfe, 0x7b, 0x00, 0x7d, 0x00]),
    Buffer.from([0x7b, 0x22, 0xc3, 0x28, 0x22, 0x3a, 0x31, 0x7d]),
    Buffer.from([0x1f, 0x8b, 0x08, 0x00]),
  ),
  fc.json({ maxDepth: 4 }).map(text => Buffer.from(text)),
  fc.uint8Array({ maxLength: 200 }).map(bytes => Buffer.from(bytes)),
);

const headerValue = fc.oneof(
  // Valid header characters: visible ones, spaces and non-ASCII bytes.
  fc.string({
    unit: fc
      .integer({ min: 0x20, max: 0xff })
      .filter(code => code !== 0x7f)
      .map(code => String.fromCharCode(code)),
    maxLength: 40,
  }),
  fc.constantFrom(
    '*/*',
    '*',
    'application/json',
    'text/html',
    'application/json;q=0',
    '*/*;q=0',
    ';',
    ',',
    '"',
    'x'.repeat(5_000),
  ),
  fc.constantFrom(
    'Bearer',
    'Bearer ',
    'Bearer a b',
    'Bearer x',
    'bearer x',
    'Basic',
    'Basic Og==',
    'Digest a',
    'token x',
    'Bearer a.b.c',
  ),
);

/** Headers with a meaning for some part of a server. */
export const fuzzHeaders = fc.array(
  fc.tuple(
    fc.constantFrom(
      'Accept',
      'Accept',
      'Authorization',
      'Content-Type',
      'X-Request-Id',
      'X-Host-Api-Version',
      'Origin',
      'Access-Control-Request-Method',
      'If-None-Match',
      'If-Match',
      'If-Modified-Since',
      'Range',
      'Cookie',
      'X-Forwarded-For',
      'X-Forwarded-Host',
      'X-Forwarded-Proto',
      'Forwarded',
      'X-HTTP-Method-Override',
      'Accept-Encoding',
      'Accept-Language',
      'Expect',
      'Upgrade',
      'TE',
      'Via',
      'Apollo-Require-Preflight',
      'Content-Encoding',
      'User-Agent',
      'Referer',
    ),
    headerValue,
  ),
  { maxLength: 5 },
);

export const fuzzMethod = fc.oneof(
  { weight: 6, arbitrary: fc.constant('GET') },
  { weight: 6, arbitrary: fc.constantFrom('HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS') },
  {
    weight: 1,
    arbitrary: fc.constantFrom('TRACE', 'PURGE', 'PROPFIND', 'SEARCH', 'QUERY', 'M-SEARCH', 'SUBSCRIBE', 'LOCK'),
  },
);
