import { describe, expect, test } from '@jest/globals';
import { buildTestSchema, echo } from './build-test-schema.ts';
import { rawRequest, sendRaw } from './raw-http.ts';
import { startTestFacade } from './test-facade.ts';

const graph = buildTestSchema(
  `
  scalar File
  enum Color { RED DARK_BLUE }
  input Inner { text: String }
  type Query { nothing: Int }
  type Mutation { put(text: String, id: Int, int: Int, float: Float, flag: Boolean, color: Color, texts: [String!], ints: [Int!], inner: Inner, file: File): String! }`,
  {
    File: {
      extensions: { jsonSchema: { type: 'string', format: 'binary' } },
      parseValue(value: unknown) {
        const file = value as { mediaType?: string; bytes?: unknown };
        if (!Buffer.isBuffer(file?.bytes)) throw new TypeError('This is no file.');
        return { mediaType: file.mediaType, hex: file.bytes.toString('hex') };
      },
    },
    Mutation: { put: echo },
  },
);
const operations = {
  'a/put.graphql': `mutation Put($id: Int!, $text: String, $int: Int, $float: Float, $flag: Boolean, $color: Color, $texts: [String!], $ints: [Int!], $inner: Inner, $file: File)
    @rest(method: POST, path: "/things/{id}/", maxBodyBytes: 3000000) {
      put(id: $id, text: $text, int: $int, float: $float, flag: $flag, color: $color, texts: $texts, ints: $ints, inner: $inner, file: $file) @body }`,
};
const facade = await startTestFacade({ graph, operations });
const hosting = await startTestFacade({ graph, operations, product: 'hosting-like' });
const path = '/api/v1/things/7/';
const post = async (body: RequestInit['body'], type: string, search = ''): Promise<[number, unknown]> => {
  const { status, json } = await facade.request(`${path}${search}`, {
    method: 'POST',
    body: body ?? null,
    headers: { 'content-type': type },
  });
  return [status, status === 200 ? JSON.parse(json) : json];
};
const urlencoded = (body: string, search = '') => post(body, 'application/x-www-form-urlencoded', search);
const boundary = 'x-y-z';
const part = (disposition: string, content: string, ...headers: string[]): string =>
  [`--${boundary}`, `Content-Disposition: form-data; ${disposition}`, ...headers, '', content, ''].join('\r\n');
const multipart = (...parts: string[]) =>
  post(
    Buffer.from(`${parts.join('')}--${boundary}--\r\n`, 'latin1') as unknown as string,
    `multipart/form-data; boundary=${boundary}`,
  );

describe('a URL-encoded form', () => {
  test('is coerced like a query string', async () => {
    expect(await urlencoded('text=a+b%20%C5%BE&int=0&float=1.5&flag=false&color=dark_blue')).toEqual([
      200,
      { id: 7, text: 'a b ž', int: 0, float: 1.5, flag: false, color: 'DARK_BLUE' },
    ]);
    expect(await urlencoded('texts[]=a&texts%5B%5D=b&ints=0&ints=1')).toEqual([
      200,
      { id: 7, texts: ['a', 'b'], ints: [0, 1] },
    ]);
    expect(await urlencoded('t=1&text')).toEqual([200, { id: 7, text: '' }]);
  });

  test('has null as an empty value of a type other than text, and absence as a missing key', async () => {
    expect(await urlencoded('text=&int=&color=&flag=')).toEqual([
      200,
      { id: 7, text: '', int: null, color: null, flag: null },
    ]);
    expect(await urlencoded('other=1')).toEqual([200, { id: 7 }]);
    expect(await urlencoded('ints=&texts=')).toEqual([200, { id: 7, texts: [''] }]);
  });

  test('has no keys of the path, and none of the query string', async () => {
    expect(await urlencoded('id=8&int=1&text=form', '?int=0&text=')).toEqual([200, { id: 7, int: 1, text: 'form' }]);
    expect(await urlencoded('int=1', '?int=2')).toEqual([200, { id: 7, int: 1 }]);
  });

  test.each([
    ['ints[0]=5&ints[1]=6', { ints: [5, 6] }],
    ['texts%5B1%5D=b&texts%5B0%5D=a', { texts: ['a', 'b'] }],
    ['texts[7]=z&texts=x&texts[]=y&texts[10]=last', { texts: ['y', 'x', 'z', 'last'] }],
    ['texts[0]=a&texts[0]=b', { texts: ['a', 'b'] }],
  ])('has lists with indexes: %s', async (body, sent) => {
    expect(await urlencoded(body)).toEqual([200, { id: 7, ...sent }]);
  });

  test.each([
    'texts[x]=a',
    'texts[0][a]=b',
    'texts[-1]=b',
    'texts[0=a',
    'texts[0]x=a',
    'texts[]x=a',
    'texts[0]=a&texts[ ]=b',
  ])('is refused where brackets of a list say nothing: %s', async body => {
    expect(await urlencoded(body)).toEqual([400, { texts: [expect.stringMatching(/^Expected a list of items/)] }]);
  });

  test('is refused where a parameter that is no list has brackets', async () => {
    const [status, json] = await urlencoded('text[0]=a&int[0]=1&flag[a]=true&color[0]=red&inner[text]=b&file[0]=c');
    expect([status, Object.keys(json as object).toSorted()]).toEqual([
      400,
      ['color', 'file', 'flag', 'inner', 'int', 'text'],
    ]);
    expect(await urlencoded('other[0]=a&[0]=b&text=c')).toEqual([200, { id: 7, text: 'c' }]);
  });

  test.each(['text=a%FF', 'other=%C3', '%FF=a', 'texts[0]=%ED%A0%80', 'int=%FF'])(
    'is refused with bytes that are not UTF-8: %s',
    async body => {
      expect(await urlencoded(body)).toEqual([
        400,
        { detail: 'Form parse error - The body is not valid UTF-8.', code: 'parse_error' },
      ]);
    },
  );

  test('has the errors of a body', async () => {
    expect(await urlencoded('int=x&color=RED&inner=y&text=a%00&file=z')).toEqual([
      400,
      {
        int: ['A valid integer is required.'],
        color: ['"RED" is not a valid choice.'],
        inner: ['Invalid data. Expected a dictionary, but got str.'],
        text: ['Null characters are not allowed.'],
        file: ['This is no file.'],
      },
    ]);
    expect(
      (await post(Buffer.from('text=\xff', 'latin1') as unknown as string, 'application/x-www-form-urlencoded'))[0],
    ).toBe(400);
  });

  test('treats names of Object.prototype like others', async () => {
    expect(await urlencoded('__proto__=1&constructor=2&__proto__[int]=3&text=a')).toEqual([200, { id: 7, text: 'a' }]);
    expect(({} as { int?: unknown }).int).toBeUndefined();
  });

  test('may have many keys', async () => {
    expect(await urlencoded(`${'a&'.repeat(200_000)}int=1`)).toEqual([200, { id: 7, int: 1 }]);
  });
});

describe('a multipart form', () => {
  test('has texts and files', async () => {
    const answer = await multipart(
      part('name="text"', Buffer.from('ž\r\nb').toString('latin1')),
      part('name="int"', '0'),
      part('name="texts[]"', 'a'),
      part('name="texts[]"', ''),
      part('name="file"; filename="a.png"', '\x00\xff\r\n', 'Content-Type: image/png'),
    );
    expect(answer).toEqual([
      200,
      { id: 7, text: 'ž\r\nb', int: 0, texts: ['a', ''], file: { hex: '00ff0d0a', mediaType: 'image/png' } },
    ]);
  });

  test('as browsers and fetch send it', async () => {
    const form = new FormData();
    form.set('text', 'a');
    form.set('file', new Blob([new Uint8Array([1, 2])], { type: 'image/jpeg' }), 'ž.jpg');
    form.append('ints', '1');
    form.append('ints', '2');
    const { json } = await facade.request(path, { method: 'POST', body: form });
    expect(JSON.parse(json)).toEqual({
      id: 7,
      text: 'a',
      ints: [1, 2],
      file: { hex: '0102', mediaType: 'image/jpeg' },
    });
  });

  test('has lists with indexes, and is refused where brackets say nothing', async () => {
    expect(await multipart(part('name="ints[1]"', '6'), part('name="ints[0]"', '5'))).toEqual([
      200,
      { id: 7, ints: [5, 6] },
    ]);
    expect((await multipart(part('name="ints[x]"', '6')))[0]).toBe(400);
    expect((await multipart(part('name="file[0]"; filename="a"', 'x')))[0]).toBe(400);
  });

  test('is refused with bytes that are not UTF-8, and may have the replacement character', async () => {
    const inUtf8 = (text: string): string => Buffer.from(text).toString('latin1');
    for (const bytes of ['a\xff', '\xed\xa0\x80', `${inUtf8('\ufffd')}\xff`]) {
      for (const headers of [[], ['Content-Type: text/plain; charset=utf-8']])
        expect(await multipart(part('name="text"', bytes, ...headers))).toEqual([
          400,
          { detail: 'Multipart form parse error - The body is not valid UTF-8.', code: 'parse_error' },
        ]);
    }
    expect(await multipart(part('name="text"', inUtf8('ü \ufffd')))).toEqual([200, { id: 7, text: 'ü \ufffd' }]);
    expect((await multipart(part('name="file"; filename="a"', '\xff\xfe')))[0]).toBe(200);
  });

  test('may contain an empty file, a large one, and a file input without a file', async () => {
    expect(await multipart(part('name="file"; filename="a"', ''))).toEqual([
      200,
      { id: 7, file: { hex: '', mediaType: 'text/plain' } },
    ]);
    const none = part('name="file"; filename=""', '', 'Content-Type: application/octet-stream');
    expect(await multipart(none)).toEqual([200, { id: 7 }]);
    const [status, json] = await multipart(part('name="file"; filename="a"', 'x'.repeat(2_000_000)));
    expect([status, (json as { file: { hex: string } }).file.hex.length]).toEqual([200, 4_000_000]);
  });

  test('with a file in place of a text has an error without the file', async () => {
    expect(await multipart(part('name="text"; filename="a"', 'x'.repeat(1_000)))).toEqual([
      400,
      { text: ['Not a valid string.'] },
    ]);
    expect(await multipart(part('name="int"; filename="a"', '5'))).toEqual([
      400,
      { int: ['A valid integer is required.'] },
    ]);
    expect((await multipart(part('name="color"; filename="a"', 'x'.repeat(2_000_000))))[0]).toBe(400);
    expect(await multipart(part('name="file"', 'no file'))).toEqual([400, { file: ['This is no file.'] }]);
  });

  const whole = part('name="file"; filename="a"', 'content') + part('name="text"', 'a');
  test.each([
    ['ends in a file', whole.slice(0, whole.indexOf('tent'))],
    ['ends in a text', whole.slice(0, -3)],
    ['ends in the head of a part', whole.slice(0, 30)],
    ['has no last boundary', whole],
    ['is empty of parts', 'nothing here'],
    ['has a malformed head', `--${boundary}\r\nContent-Disposition form-data\r\n\r\nx\r\n--${boundary}--\r\n`],
    ['has a thousand parts too many', `${part('name="a"', '').repeat(2_000)}--${boundary}--\r\n`],
  ])('that %s is malformed', async (_, body) => {
    const [status, json] = await post(body, `multipart/form-data; boundary=${boundary}`);
    expect([status, (json as { code: string }).code]).toEqual([400, 'parse_error']);
  });

  test('with a boundary of more than 70 characters is malformed', async () => {
    const of = (length: number) => {
      const long = 'b'.repeat(length);
      const body = `--${long}\r\nContent-Disposition: form-data; name="text"\r\n\r\na\r\n--${long}--\r\n`;
      return post(body, `multipart/form-data; boundary=${long}`);
    };
    expect([(await of(70))[0], (await of(71))[0], (await of(10_000))[0]]).toEqual([200, 400, 400]);
  });

  test('without a boundary is malformed', async () => {
    expect((await post(whole, 'multipart/form-data; charset=utf-8'))[0]).toBe(400);
    expect((await post(whole, 'multipart/form-data'))[0]).toBe(415);
  });

  test('that is too large is refused', async () => {
    expect((await multipart(part('name="file"; filename="a"', 'x'.repeat(3_000_000))))[0]).toBe(413);
  });

  test('has no longer texts than a body without files, together or alone', async () => {
    const file = part('name="file"; filename="a"', 'x'.repeat(1_500_000));
    const text = (name: string, length: number) => part(`name="${name}"`, 'x'.repeat(length));
    expect((await multipart(file, text('text', 900_000)))[0]).toBe(200);
    expect((await multipart(file, text('text', 1_100_000)))[0]).toBe(413);
    expect((await multipart(file, text('text', 600_000), text('texts', 600_000)))[0]).toBe(413);
    expect((await multipart(file, text('x'.repeat(600_000), 600_000)))[0]).not.toBe(200);
  });

  test('treats names of Object.prototype and parts without a name like others', async () => {
    expect(
      await multipart(
        part('name="__proto__"', 'x'),
        part('name="constructor"; filename="f"', 'x'),
        part('x="y"', 'z'),
        part('name="text"', 'a'),
      ),
    ).toEqual([200, { id: 7, text: 'a' }]);
  });
});

test('a JSON body, which has no files, is not larger than another', async () => {
  expect((await post(JSON.stringify({ text: 'x'.repeat(900_000) }), 'application/json'))[0]).toBe(200);
  expect((await post(JSON.stringify({ text: 'x'.repeat(1_100_000) }), 'application/json'))[0]).toBe(413);
});

describe('in a contract with JSON bodies only', () => {
  test('a form is malformed JSON', async () => {
    const answer = await sendRaw(
      hosting.url,
      rawRequest(
        'POST',
        '/things/7',
        { 'Content-Type': 'application/x-www-form-urlencoded', 'Content-Length': '6' },
        'text=a',
      ),
    );
    expect(answer).toMatch(/^HTTP\/1\.1 404 /);
    const { status, json } = await hosting.request('/things/7/', {
      method: 'POST',
      body: 'text=a',
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
    });
    expect([status, json.message]).toEqual([400, 'Problems parsing JSON']);
  });
});
