import { readFileSync } from 'node:fs';
import { describe, expect, test } from '@jest/globals';
import { array, assert, constantFrom, date, oneof, property, string, uint8Array, webUrl } from 'fast-check';
import iconv from 'iconv-lite';
import { canonicalLink, type Feed, FeedUnreadable, readFeed } from '../../src/health/articles/read-feed.ts';

const now = new Date('2024-06-01T12:00:00Z');
const read = (feed: string | Uint8Array): Feed =>
  readFeed(typeof feed === 'string' ? new TextEncoder().encode(feed) : feed, { now });
const fixture = (name: string): Feed => read(readFileSync(new URL(`../fixtures/feeds/${name}`, import.meta.url)));

const rss = (items: string, channel = '<title>T</title><link>https://a.example/</link>'): string =>
  `<rss version="2.0"><channel>${channel}${items}</channel></rss>`;
const item = (content: string, link = 'https://a.example/1'): string =>
  `<item><link>${link}</link><pubDate>2024-01-01</pubDate>${content}</item>`;
const only = (feed: Feed) => {
  expect([feed.entries.length, feed.rejected]).toEqual([1, []]);
  const [entry] = feed.entries;
  if (!entry) throw new Error('no entry');
  return entry;
};
const published = (pubDate: string, channel = ''): string => {
  const feed = read(rss(`<item><title>t</title><link>https://a.example/</link>${pubDate}</item>`, channel));
  return feed.entries[0]?.publishedAt.toISOString() ?? feed.rejected[0]?.reason ?? '';
};

describe('RSS', () => {
  const feed = fixture('public-health.rss');

  test('an entry is read in full, cleaned and canonical', () => {
    expect(feed.format).toBe('rss');
    expect(feed.title).toBe('Harbour City Public Health & Prevention');
    expect(feed.rejected).toEqual([]);
    expect(feed.entries[0]).toEqual({
      headline: 'Heat & health: drink before you are thirsty',
      summary: 'Hot days strain the heart. Older people & small children need most care.',
      author: 'Ines Okafor',
      language: null,
      link: 'https://health.harbour.example/heat?page=2',
      imageUrl: 'https://img.harbour.example/heat.jpg',
      publishedAt: new Date('2024-03-04T08:30:00Z'),
      position: 1,
      id: 'health.harbour.example hc-1001',
      updatedAt: null,
      versionAt: new Date('2024-03-04T08:30:00Z'),
      categories: [
        { name: 'Heat Waves', slug: 'heat-waves' },
        { name: 'Older People', slug: 'older-people' },
      ],
      tags: ['summer', 'dehydration'],
      body: '## Hot days\n\nDrink **two litres** a day. See [cooling centres](https://health.harbour.example/fans).\n\n- Stay inside at noon\n- Ask your neighbours',
    });
  });

  test('a guid stands in for the link, a description for the content, an enclosure for the picture', () => {
    expect(feed.entries[1]).toMatchObject({
      link: 'https://health.harbour.example/flu',
      summary: 'Vaccination is free. It takes ten minutes.',
      body: 'Vaccination is free. It takes ten minutes.',
      author: 'Health Desk',
      imageUrl: 'https://img.harbour.example/flu.png',
      publishedAt: new Date('2024-03-03T23:00:00Z'),
    });
  });

  test('a relative link is resolved, a missing date is that of the feed', () => {
    expect(feed.entries[2]).toMatchObject({
      link: 'https://health.harbour.example/sleep',
      imageUrl: 'https://img.harbour.example/sleep.jpg',
      publishedAt: new Date('2024-03-05T08:00:00Z'),
    });
  });

  test('RSS 1.0 is read as well', () => {
    const entry = only(
      read(`<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" xmlns="http://purl.org/rss/1.0/" xmlns:dc="http://purl.org/dc/elements/1.1/">
        <channel rdf:about="https://j.example/"><title>Journal</title><link>https://j.example/</link></channel>
        <item rdf:about="https://j.example/1"><title>Paper</title><link>https://j.example/1</link><dc:date>2024-02-03</dc:date><dc:creator>A. Author</dc:creator></item></rdf:RDF>`),
    );
    expect(entry).toMatchObject({ headline: 'Paper', author: 'A. Author', publishedAt: new Date('2024-02-03') });
  });
});

describe('Atom', () => {
  const feed = fixture('clinic-notes.atom');

  test('an entry is read with its bases, its HTML page and both dates', () => {
    expect(feed).toMatchObject({ format: 'atom', title: 'Clinic notes <weekly>', rejected: [] });
    expect(feed.entries[0]).toEqual({
      headline: 'Salt & blood pressure < 140',
      summary: 'Less than 5 g a day.',
      author: 'Dr. Lena Vogt',
      language: null,
      link: 'https://clinic.example/notes/2024/salt',
      imageUrl: 'https://clinic.example/notes/2024/salt.webp',
      publishedAt: new Date('2024-01-15T09:00:00Z'),
      position: 1,
      id: 'tag:clinic.example,2024:1',
      updatedAt: new Date('2024-01-20T10:00:00.500Z'),
      versionAt: new Date('2024-01-20T10:00:00.500Z'),
      categories: [
        { name: 'Blood Pressure', slug: 'blood-pressure' },
        { name: 'Nutrition', slug: 'nutrition' },
      ],
      tags: [],
      body: 'Use *less* salt, see [our table](https://clinic.example/notes/2024/table).',
    });
  });

  test('without a summary the first sentences are one, without an author the feed has one', () => {
    expect(feed.entries[1]).toMatchObject({
      summary: 'Sodium times 2.5 is salt. Look for it first. Then look for sugar.',
      author: 'Clinic team',
      publishedAt: new Date('2024-01-10T00:00:00Z'),
    });
  });

  test('text is text and XHTML is not', () => {
    expect(feed.entries[2]).toMatchObject({
      headline: 'Plain words',
      body: 'Values \\< 5 are \\*fine\\*.\n\nOthers are \\<b>not\\</b>.',
    });
  });
});

describe('JSON Feed', () => {
  const feed = fixture('well-being.json');

  test('an entry is read in full', () => {
    expect(feed).toMatchObject({ format: 'json', title: 'Well & being' });
    expect(feed.entries[0]).toEqual({
      headline: 'Walks help',
      summary: 'Begin small.',
      author: 'Ada Lund, Kofi Mensah',
      language: null,
      link: 'https://well.example/walks',
      imageUrl: 'https://well.example/walks.jpg',
      publishedAt: new Date('2024-05-01T05:00:00Z'),
      position: 1,
      id: 'well.example 1',
      updatedAt: new Date('2024-05-02T05:00:00Z'),
      versionAt: new Date('2024-05-02T05:00:00Z'),
      categories: [],
      tags: ['walking', 'Mood'],
      body: 'Ten minutes are **enough** to begin.',
    });
  });

  test('plain content keeps its lines, and the first sentences are the headline of an entry without one', () => {
    expect(feed.entries[1]).toMatchObject({
      headline: 'Breathe out. Then in. No <b> needed.',
      link: 'https://well.example/breath',
      author: 'Well desk',
      body: 'Breathe out.\\\nThen in.\n\nNo \\<b> needed.',
    });
    expect(feed.entries[2]).toMatchObject({ link: 'https://elsewhere.example/study', summary: '', body: '' });
  });

  test('what is no item is rejected at its place', () => {
    expect(feed.rejected).toEqual([{ position: 2, title: null, reason: 'it has neither a title nor a text' }]);
  });
});

describe('a bad entry', () => {
  test('loses nothing but itself, and is told with place, title and reason', () => {
    const feed = fixture('half-broken.rss');
    expect(feed.entries.map(entry => entry.headline)).toEqual(['First good', 'Second good', 'Third good']);
    expect(feed.rejected.map(({ position, title, reason }) => [position, title, reason])).toEqual([
      [2, 'No link', 'it has no link'],
      [3, 'Mail link', 'its link is not a usable http(s) address: mailto:a@half.example'],
      [4, null, 'it has neither a title nor a text'],
      [5, 'No date', 'it has no date, and the feed has none either'],
      [6, 'Odd date', 'its date cannot be read: next week'],
      [7, 'Old date', 'its date is not between 1970 and 2099: 0001-01-01T00:00:00Z'],
      [8, 'Far date', 'its date is not between 1970 and 2099: Fri, 01 Jan 2100 00:00:00 GMT'],
      [9, null, 'it has neither a title nor a text'],
      [10, 'Dose', 'its XML is broken'],
      [11, 'Open CDATA', 'its XML is broken'],
      [12, 'Again', 'it has the same link as entry 1, which is kept'],
      [14, 'Never closed', 'its end tag is missing, so it may be cut off'],
      [16, 'Cut off', 'its end tag is missing, so it may be cut off'],
    ]);
  });

  test('of two with one link is the older one', () => {
    const feed = read(
      rss(
        `${item('<title>old</title>')}<item><title>new</title><link>https://a.example/1#x</link><pubDate>2024-02-01</pubDate></item>`,
      ),
    );
    expect(feed.entries.map(entry => entry.headline)).toEqual(['new']);
    expect(feed.rejected).toMatchObject([{ position: 1, title: 'old' }]);
  });

  test('is one whose relative link has nothing to be relative to', () => {
    expect(read(rss(item('<title>t</title>', '/a'), '<title>T</title>')).rejected).toEqual([
      { position: 1, title: 't', reason: 'its link is relative and the feed does not say to what: /a' },
    ]);
  });

  test('is every one after the 10,000th', () => {
    const { entries, rejected } = read(rss('<item/>'.repeat(10_002)));
    expect(entries).toEqual([]);
    expect(rejected.at(-1)).toEqual({
      position: 10_002,
      title: null,
      reason: 'it is beyond the 10,000 entries that are read of a file',
    });
  });
});

describe('a base', () => {
  const atomEntry = (feedBase: string, entry: string) =>
    read(
      `<feed xmlns="http://www.w3.org/2005/Atom"${feedBase}><title>T</title><link rel="self" href="https://self.example/feed.atom"/>${entry}</feed>`,
    ).entries[0];
  const rest = '<id>urn:1</id><title>t</title><updated>2024-01-01T00:00:00Z</updated>';
  const link = '<a href="x">y</a>'.replaceAll('<', '&lt;');

  test.each([
    [
      'of the content does not move the link',
      '',
      `<entry>${rest}<link href="a"/><content type="html" xml:base="https://c.example/d/">${link}</content></entry>`,
      'https://self.example/a',
      'https://c.example/d/x',
    ],
    [
      'of the feed is that of the content',
      ' xml:base="https://f.example/g/"',
      `<entry>${rest}<link href="a"/><content type="html">${link}</content></entry>`,
      'https://f.example/g/a',
      'https://f.example/g/x',
    ],
    [
      'of the entry is inside that of the feed',
      ' xml:base="https://f.example/g/"',
      `<entry xml:base="e/">${rest}<link href="a"/><content type="html" xml:base="c/">${link}</content></entry>`,
      'https://f.example/g/e/a',
      'https://f.example/g/e/c/x',
    ],
    [
      'of a summary',
      '',
      `<entry>${rest}<link href="a"/><summary type="html" xml:base="/s/">${link}</summary></entry>`,
      'https://self.example/a',
      'https://self.example/s/x',
    ],
    [
      'of a link',
      '',
      `<entry>${rest}<link href="a" xml:base="https://l.example/m/"/><content type="html">${link}</content></entry>`,
      'https://l.example/m/a',
      'https://l.example/m/x',
    ],
    [
      'of a link that is relative itself',
      ' xml:base="https://f.example/g/"',
      `<entry>${rest}<link xml:base='l/' href='a'/></entry>`,
      'https://f.example/g/l/a',
      '',
    ],
  ])('%s', (_name, feedBase, entry, url, inside) => {
    const found = atomEntry(feedBase, entry);
    expect(found?.link).toBe(url);
    expect(/\((.*)\)/.exec(found?.body ?? '')?.[1] ?? '').toBe(inside);
  });

  test('of the root of RSS', () => {
    const entry = only(
      read(
        rss(item('<title>t</title>', 'a'), '<title>T</title>').replace('<rss', '<rss xml:base="https://r.example/s/"'),
      ),
    );
    expect(entry.link).toBe('https://r.example/s/a');
  });
});

describe('a date', () => {
  test.each([
    ['Wed, 02 Oct 2002 15:00:00 +0200', '2002-10-02T13:00:00.000Z'],
    ['2 Oct 02 15:00 PDT', '2002-10-02T22:00:00.000Z'],
    ['Wed, 2 October 2002', '2002-10-02T00:00:00.000Z'],
    ['2002-10-02T15:00:00.123-05:30', '2002-10-02T20:30:00.123Z'],
    ['2002-10-02 15:00', '2002-10-02T15:00:00.000Z'],
    ['2002-10', '2002-10-01T00:00:00.000Z'],
    ['October 2nd, 2002 3:05 pm', '2002-10-02T15:05:00.000Z'],
    ['Wed Oct  2 15:00:00 GMT 2002', '2002-10-02T15:00:00.000Z'],
    ['Seg, 24 Set 2018 19:42:40 -0300', '2018-09-24T22:42:40.000Z'],
    ['lun., 12 août 2019 08:00:00 +0200', '2019-08-12T06:00:00.000Z'],
    ['Sat, 31 Dec 2016 23:59:60 GMT', '2016-12-31T23:59:59.000Z'],
    ['2020/1/10 14:33:00', '2020-01-10T14:33:00.000Z'],
    ['2020-1-9', '2020-01-09T00:00:00.000Z'],
    ['20200110T143300Z', '2020-01-10T14:33:00.000Z'],
    ['2020', '2020-01-01T00:00:00.000Z'],
    ['1578666780', '2020-01-10T14:33:00.000Z'],
    ['2020-01-10T14:33:00+00', '2020-01-10T14:33:00.000Z'],
    ['Fri, 10 Jan 2020 14:33:00 GMT+7', '2020-01-10T07:33:00.000Z'],
    ['Fri, 10 Jan 2020 14:33:00 UTC+05:30', '2020-01-10T09:03:00.000Z'],
    ['Fri, 10 Jan 2020 14:33:00 -3', '2020-01-10T17:33:00.000Z'],
    ['Fri,10 Jan 2020 14:33 EST', '2020-01-10T19:33:00.000Z'],
    ['2020-01-10 14:33:00 +0000 UTC', '2020-01-10T14:33:00.000Z'],
    ['Fri Jan 10 2020 14:33:00 GMT+0700 (Indochina Time)', '2020-01-10T07:33:00.000Z'],
    ['Friday, January 10, 2020 - 14:33', '2020-01-10T14:33:00.000Z'],
    ['10.01.2020 14:33', '2020-01-10T14:33:00.000Z'],
    ['13/01/2020', '2020-01-13T00:00:00.000Z'],
    ['1/10/2020 2:33:00 PM', '2020-01-10T14:33:00.000Z'],
    ['10 янв 2020 10:00', '2020-01-10T10:00:00.000Z'],
    ['2020年1月10日 下午2:33', '2020-01-10T14:33:00.000Z'],
    ['10 de enero de 2020', '2020-01-10T00:00:00.000Z'],
  ])('may be written %s', (written, meant) => {
    expect(published(`<pubDate>${written}</pubDate>`)).toBe(meant);
  });

  test.each([
    'chapter 7',
    '2024-02-30',
    '32 Jan 2024',
    '12:00',
    '2024-01-01T25:00:00Z',
    '1 Foo 2024',
    '5',
    '01/02/2020',
  ])('%s is none', written => {
    expect(published(`<pubDate>${written}</pubDate>`)).toBe(`its date cannot be read: ${written}`);
  });

  test('of every time and zone comes back', () => {
    const range = date({ min: new Date('1970-01-01'), max: new Date('2099-12-31'), noInvalidDate: true });
    assert(
      property(range, moment => {
        moment.setUTCMilliseconds(0);
        for (const written of [
          moment.toUTCString(),
          moment.toISOString(),
          moment.toISOString().replace('Z', '+00:00'),
        ]) {
          expect(published(`<pubDate>${written}</pubDate>`)).toBe(moment.toISOString());
        }
      }),
      { numRuns: 200 },
    );
  });

  test('in the future stays, but a borrowed one is never later than now', () => {
    expect(published('<pubDate>2098-01-01</pubDate>')).toBe('2098-01-01T00:00:00.000Z');
    expect(published('', '<lastBuildDate>2098-01-01</lastBuildDate>')).toBe(now.toISOString());
  });

  test('that cannot be read gives way to another that can', () => {
    const dublinCore = '<dc:date xmlns:dc="http://purl.org/dc/elements/1.1/">2024-02-03</dc:date>';
    expect(published(`<pubDate>soon</pubDate>${dublinCore}`)).toBe('2024-02-03T00:00:00.000Z');
  });
});

describe('texts', () => {
  const titled = (title: string) => only(read(rss(item(`<title>${title}</title>`)))).headline;

  test('are cut between words, with an ellipsis, to 300 and 600 characters', () => {
    const long = 'vitamin '.repeat(200);
    const entry = only(read(rss(item(`<title>${long}</title><description>${long}</description>`))));
    expect(entry.headline).toMatch(/^(vitamin )+vitamin…$/);
    expect(entry.headline.length).toBeGreaterThan(290);
    expect(entry.headline.length).toBeLessThanOrEqual(300);
    expect(entry.summary).toMatch(/^(vitamin )+vitamin…$/);
    expect(entry.summary.length).toBeLessThanOrEqual(600);
  });

  test('are never cut inside of a character', () => {
    for (const character of ['😀', '👩‍👩‍👧', 'e\u0301', '健']) {
      for (const shift of ['', 'x', 'xy']) {
        const headline = titled(shift + character.repeat(400));
        expect(headline.length).toBeLessThanOrEqual(300);
        expect(headline.slice(shift.length, -1).replaceAll(character, '')).toBe('');
        expect(headline.endsWith('…')).toBe(true);
      }
    }
  });

  test('hold no control characters, however they were written', () => {
    expect(titled('a\u0000b\u0008 &#7;c &#0;d&#x202E;')).toBe('ab c \uFFFDd');
    const json = JSON.stringify({
      version: 'https://jsonfeed.org/version/1',
      title: 'x',
      items: [{ url: 'https://a.example/', title: 'a\0b\ud800', content_text: 'c\0d', date_published: '2024-01-01' }],
    });
    expect(only(read(json))).toMatchObject({ headline: 'ab\uFFFD', body: 'cd' });
  });

  test('of authors hold names and no addresses', () => {
    const by = (author: string) => only(read(rss(item(`<title>t</title><author>${author}</author>`)))).author;
    expect(by('ann@a.example (Ann Lee)')).toBe('Ann Lee');
    expect(by('Ann Lee &lt;ann@a.example&gt;')).toBe('Ann Lee');
    expect(by('ann@a.example')).toBe('');
    expect(by('Ann Lee (NHS)')).toBe('Ann Lee (NHS)');
  });

  test('of categories make slugs of every script', () => {
    const names = ['Women’s Health & Diet', 'Santé', 'Психология', '健康', '!!!', 'https://schema.example/kind'];
    const categories = names.map(name => `<category>${name.replace('&', '&amp;')}</category>`).join('');
    const { categories: found } = only(read(rss(item(`<title>t</title>${categories}`))));
    expect(found.map(({ slug }) => slug)).toEqual(['womens-health-diet', 'sante', 'психология', '健康']);
  });
});

describe('encodings', () => {
  const café = rss(item('<title>café “€”</title>'));
  const windows = Uint8Array.from(
    [...`<?xml version="1.0" encoding="ISO-8859-1"?>${café}`].map(
      character => ({ '“': 0x93, '€': 0x80, '”': 0x94 })[character] ?? character.charCodeAt(0),
    ),
  );
  const utf16 = (littleEndian: boolean, mark: string): Uint8Array => {
    const view = new DataView(new ArrayBuffer((mark.length + café.length) * 2));
    [...(mark + café)].forEach((character, index) => {
      view.setUint16(index * 2, character.charCodeAt(0), littleEndian);
    });
    return new Uint8Array(view.buffer);
  };

  test.each([
    ['UTF-8', new TextEncoder().encode(café)],
    ['UTF-8 with a mark', new TextEncoder().encode(`\uFEFF<?xml version="1.0" encoding="iso-8859-1"?>${café}`)],
    ['UTF-8 that says it is UTF-16', new TextEncoder().encode(`<?xml version="1.0" encoding="UTF-16"?>${café}`)],
    ['ISO-8859-1, which is windows-1252', windows],
    ['windows-1252 that says nothing', windows.slice('<?xml version="1.0" encoding="ISO-8859-1"?>'.length)],
    ['UTF-8 under another name', new TextEncoder().encode(`<?xml version="1.0" encoding="unicode"?>${café}`)],
    ['UTF-16 LE', utf16(true, '\uFEFF')],
    ['UTF-16 BE', utf16(false, '\uFEFF')],
    ['UTF-16 LE without a mark', utf16(true, '')],
    ['UTF-16 BE without a mark', utf16(false, '')],
  ])('%s is read', (_name, bytes) => {
    expect(only(read(bytes)).headline).toBe('café “€”');
  });

  const russian = rss(
    item('<title>Принимайте лекарство</title><description>По 50 мг два раза в день, запивая водой</description>'),
  );
  const japanese = rss(
    item('<title>健康ニュース</title><description>毎日水を飲んでください。薬は食後に。</description>'),
  );
  const declared = (label: string, text: string) =>
    (label === '' ? '' : `<?xml version="1.0" encoding="${label}"?>`) + text;

  test.each([
    ['UTF-8 that says it is windows-1251', 'utf-8', 'windows-1251', russian],
    ['UTF-8 that says it is Shift_JIS', 'utf-8', 'Shift_JIS', japanese],
    ['UTF-8 under no known name', 'utf-8', 'klingon', russian],
    ['windows-1251 as cp-1251', 'win1251', 'cp-1251', russian],
    ['windows-1251 as win-1251', 'win1251', 'win-1251', russian],
    ['windows-1251 that says nothing', 'win1251', '', russian],
    ['windows-1251 that says it is UTF-8', 'win1251', 'utf-8', russian],
    ['windows-1251 that says it is Latin', 'win1251', 'iso-8859-1', russian],
    ['KOI8-R that says nothing', 'koi8-r', '', russian],
    ['code page 866', 'cp866', 'ibm-866', russian],
    ['Shift_JIS that says nothing', 'shift_jis', '', japanese],
    ['EUC-JP that says nothing', 'euc-jp', '', japanese],
    ['ISO-8859-1 with an underline', 'win1252', 'iso_8859_1', café],
  ])('%s is read', (_name, encoding, label, text) => {
    const bytes = iconv.encode(declared(label, text), encoding);
    expect(only(read(bytes)).headline).toBe(only(read(text)).headline);
  });

  test('one broken byte in UTF-8 breaks one character', () => {
    const bytes = new TextEncoder().encode(rss(item('<title>café x café</title>')));
    bytes[bytes.indexOf(0x78, bytes.indexOf(0xc3))] = 0xff;
    expect(only(read(bytes)).headline).toBe('café \uFFFD café');
  });
});

describe('a file that is no feed', () => {
  test.each([
    ['', 'an empty file'],
    ['<!DOCTYPE html><html><body><p>Hello</p></body></html>', 'an HTML page'],
    ['{"version":"https://jsonfeed.org/version/1","items":[', 'JSON that is broken or cut off'],
    ['{"name":"package"}', 'JSON that is not a JSON Feed'],
    ['[]', 'JSON that is not a JSON Feed'],
    ['<opml version="2.0"><body/></opml>', 'an OPML list of feeds'],
    ['<sitemap:urlset/>', 'XML that starts with <sitemap:urlset>'],
    ['<rss version="2.0"></rss>', 'an RSS file with nothing in it that can be read'],
    ['hello', 'no XML element and no JSON'],
    [
      Uint8Array.of(...new TextEncoder().encode('<?xml version="1.0" encoding="klingon"?><rss>é'), 0xff),
      'an encoding that is not known, "klingon"',
    ],
    [Uint8Array.of(0x1f, 0x8b, 8), 'a gzip file, which must be unpacked first'],
    [new Uint8Array(20 * 1024 * 1024 + 1), 'a file of 21 MB, and at most 20 MB are read'],
  ])('is refused with what it is: %#', (file, found) => {
    expect(() => read(file)).toThrow(FeedUnreadable);
    expect(() => read(file)).toThrow(
      `Expected an RSS 2.0, Atom or JSON Feed file of at most 20 MB, but found ${found}.`,
    );
  });

  test('is not what a feed without entries is', () => {
    expect(read(rss(''))).toEqual({ format: 'rss', title: 'T', writtenAt: null, entries: [], rejected: [] });
  });
});

describe('a hostile file', () => {
  const quickly = (feed: string): Feed => {
    const start = performance.now();
    const result = read(feed);
    expect(performance.now() - start).toBeLessThan(10_000);
    return result;
  };

  test('has no entity expanded and nothing fetched', () => {
    const laughs = Array.from({ length: 9 }, (_, n) => `<!ENTITY l${n + 1} "${`&l${n};`.repeat(10)}">`).join('\n');
    const feed = quickly(
      `<?xml version="1.0"?><!DOCTYPE rss [<!ENTITY l0 "lol">${laughs}<!ENTITY file SYSTEM "file:///etc/passwd">]>${rss(item('<title>&l9; and &file;</title>'))}`,
    );
    expect(only(feed).headline).toBe('&l9; and &file;');
  });

  test('are looked for a limited number of times', () => {
    const broken = '<item><title>a</b></item>'.repeat(1_500);
    const feed = readFeed(Buffer.from(rss(`${broken}${item('<title>b</title>', 'https://a.example/x')}`)), { now });
    expect(feed.entries).toEqual([]);
    expect(feed.rejected).toHaveLength(1_501);
    expect(feed.rejected.at(-1)).toMatchObject({ reason: 'its XML is broken, or too many other entries are' });
  });

  test('may be as deep as it likes', () => {
    const deep = (tag: string, times: number) => `<${tag}>`.repeat(times) + `</${tag}>`.repeat(times);
    const feed = quickly(
      rss(
        item(`<title>elements</title>${deep('x', 100_000)}`, 'https://a.example/x') +
          item(`<title>markup</title><description><![CDATA[${deep('div', 50_000)}deep]]></description>`),
      ),
    );
    expect(feed.entries).toMatchObject([{ headline: 'markup', body: 'deep' }]);
    expect(feed.rejected).toEqual([{ position: 1, title: 'elements', reason: 'its XML is broken' }]);
    expect(() => quickly(`{"a":${'['.repeat(1_000_000)}`)).toThrow(FeedUnreadable);
  });

  test.each(['<', '<!--', '<![CDATA[', '<item>', '<item "', '<author>', '&lt;', '(', '<a href="'])(
    'of nothing but %s ends',
    piece => {
      const many = piece.repeat(100_000 / piece.length);
      for (const place of ['title', 'description', 'author', 'unknown']) {
        quickly(rss(item(`<title>t</title><${place}>${many}</${place}>`)));
      }
      expect(() => quickly(many)).toThrow(FeedUnreadable);
    },
  );

  test('never makes more than a FeedUnreadable of itself, and never a dangerous entry', () => {
    const pieces = constantFrom(
      ...`<rss version="2.0">|<channel>|<item>|</item>|<item/>|<title>|</title>|<link>|</link>|https://a.example/|/b|javascript:alert(1)|<pubDate>2024-01-01</pubDate>|<description>|</description>|<![CDATA[|]]>|<!--|-->|&lt;script&gt;|<script>|<feed xmlns="http://www.w3.org/2005/Atom">|<entry>|</entry>|<link href="x" rel="alternate"/>|<updated>2024-01-01</updated>|<content type="xhtml">|<!DOCTYPE rss [|]>|<?xml|?>|{"title":"x","items":[|]}|"`.split(
        '|',
      ),
    );
    const text = array(oneof({ weight: 5, arbitrary: pieces }, string({ unit: 'binary', maxLength: 5 })), {
      maxLength: 40,
    });
    const files = oneof(
      text.map(parts => rss(parts.join(''))),
      text.map(parts => parts.join('')),
      uint8Array({ maxLength: 200 }),
    );
    assert(
      property(files, file => {
        let feed: Feed;
        try {
          feed = read(file);
        } catch (error) {
          expect(error).toBeInstanceOf(FeedUnreadable);
          return;
        }
        for (const { link, headline, summary, body } of feed.entries) {
          expect(canonicalLink(link)).toBe(link);
          expect(headline).not.toBe('');
          expect(headline.length <= 300 && summary.length <= 600).toBe(true);
          expect((headline + summary + body).isWellFormed()).toBe(true);
          expect(headline + summary + body).not.toContain('\0');
        }
      }),
      { numRuns: 500 },
    );
  });
});

describe('a canonical link', () => {
  test.each([
    ['HTTP://WWW.Example.ORG:80/A?b=1#c', 'http://www.example.org/A?b=1'],
    ['https://example.org', 'https://example.org/'],
    ['https://example.org/?utm_source=a&b=%20&UTM_Campaign=c&a=&fbclid=d&c', 'https://example.org/?b=%20&a=&c'],
    ['https://example.org/?gclid=1', 'https://example.org/'],
    ['https://user:secret@example.org:8443/', 'https://example.org:8443/'],
    [' https://example.org/a b ', 'https://example.org/a%20b'],
    ['https://bücher.example/', 'https://xn--bcher-kva.example/'],
    ['/relative', null],
    ['javascript:alert(1)', null],
    ['ftp://example.org/', null],
    ['https://', null],
    ['', null],
    [`https://example.org/${'a'.repeat(2_000)}`, null],
  ])('of %s is %s', (link, canonical) => {
    expect(canonicalLink(link)).toBe(canonical);
  });

  test('is its own', () => {
    assert(
      property(webUrl({ withQueryParameters: true, withFragments: true }), link => {
        const canonical = canonicalLink(link) ?? '';
        expect(canonicalLink(canonical)).toBe(canonical || null);
      }),
    );
  });
});
