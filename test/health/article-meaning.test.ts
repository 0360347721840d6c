import { describe, expect, test } from '@jest/globals';
import { readArticleHtml, renderArticleBody } from '../../src/health/articles/article-body.ts';
import { readFeed } from '../../src/health/articles/read-feed.ts';

/** Text of the body that is served, and of the summary; or why there is none. */
function told(html: string) {
  const { markdown, text, problem } = readArticleHtml(html, 'https://a.example/page');
  if (problem) return { problem };
  const body = renderArticleBody(markdown)
    .replace(/<[^<>]*>/g, ' ')
    .replace(/&lt;/g, '<')
    .replace(/&gt;/g, '>')
    .replace(/&amp;/g, '&')
    .replace(/\s+/g, ' ')
    .trim();
  return { body, text };
}
const both = (text: string) => ({ body: text, text });

describe('a dose stays the same', () => {
  test.each([
    ['Take <del>500</del><ins>50</ins> mg', 'Take 50 mg'],
    ['Take <s>500</s>50 mg', 'Take 50 mg'],
    ['Take <strike>500</strike> 50 mg', 'Take 50 mg'],
    ['Take <span style="text-decoration: line-through">500</span>50 mg', 'Take 50 mg'],
    ['Take <b style="TEXT-DECORATION-LINE:line-through !important;color:red">500</b>50 mg', 'Take 50 mg'],
    ['Take <del><ins>500</ins></del>50 mg', 'Take 50 mg'],
    ['Take <span style="display:none">1</span>50 mg', 'Take 50 mg'],
    ['Take <span hidden>1</span>50 mg', 'Take 50 mg'],
    ['Take <span style="font-size:0">1</span>50 mg', 'Take 50 mg'],
    ['<p><del>Take 500 mg.</del></p><p>Take 50 mg.</p>', 'Take 50 mg.'],
  ])('where text is struck out or hidden: %s', (html, text) => {
    expect(told(html)).toEqual(both(text));
  });

  test.each([
    ['10<sup>–3</sup> g', '10⁻³ g'],
    ['10<sup>-3</sup> g', '10⁻³ g'],
    ['10<sup><b>3</b></sup> cells', '10³ cells'],
    ['10 <sup> 6 </sup>', '10 ⁶'],
    ['10<sup>1.5</sup>', '10^1.5'],
    ['10<sup>1,5</sup>', '10^1,5'],
    ['10<sup>1.5</sup>3', '10^(1.5)3'],
    ['10<sup>n+1</sup>', '10ⁿ⁺¹'],
    ['10<sup>x</sup>', '10^x'],
    ['10<sup>10<sup>2</sup></sup>', '10^(10²)'],
    ['2<sup>1</sup>/<sub>2</sub> tablets', '2¹/₂ tablets'],
    ['2<sup>1/2</sup> tablets', '2¹/² tablets'],
    ['H<sub>2</sub>O, SpO<sub>2</sub>, HbA<sub>1c</sub>, t<sub>1/2</sub>', 'H₂O, SpO₂, HbA₁c, t₁/₂'],
    ['5<sub>x</sub>', '5_x'],
    ['37<sup>o</sup>C and 1<sup>st</sup>, 2<sup>nd</sup>', '37°C and 1st, 2nd'],
    ['Aspirin<sup>®</sup> 50 mg<sup>*</sup> text<sup>1,2</sup>', 'Aspirin® 50 mg* text¹,²'],
    ['10<span style="vertical-align: super; font-size: 8px">3</span>', '10³'],
    ['10<span style="position:relative; top:-0.4em; font-size:70%">3</span>', '10³'],
    ['H<font style="vertical-align:sub">2</font>O', 'H₂O'],
  ])('where it is raised or lowered: %s', (html, text) => {
    expect(told(html)).toEqual(both(text));
  });

  test.each([
    ['5 <img alt="µ">g', '5 µg'],
    ['5 <img src="mu.gif" alt=" µ "/>g', '5 µg'],
    ['Take <img alt="½"> tablet', 'Take ½ tablet'],
    ['H<img alt="2">O', 'H2O'],
    ['Do <img alt="not"> take it', 'Do not take it'],
    ['<input type="image" alt="Stop"> taking it', 'Stop taking it'],
    ['5 <svg aria-label="µ"><path d="M0 0"/></svg>g', '5 µg'],
    ['5 <svg><title>µ</title></svg>g', '5 µg'],
    ['Take <svg><g><text x="1">5</text></g></svg> mg', 'Take 5 mg'],
    ['10<span style="position: relative; bottom: .4em; font-size: 70%">6</span>', '10⁶'],
    ['Take <span style="color: transparent">9</span>5 mg', 'Take 5 mg'],
    ['Take <input value="50"> mg', 'Take 50 mg'],
    ['Take <select><option>5</option><option selected>50</option></select> mg', 'Take 50 mg'],
    ['Take 50<img src="https://t.example/p.gif" width="1" height="1" alt="0"> mg', 'Take 50 mg'],
  ])('where a picture or field is part of it: %s', (html, text) => {
    expect(told(html)).toEqual(both(text));
  });

  test.each([
    ['<math><mn>5</mn><mo>×</mo><msup><mn>10</mn><mrow><mo>−</mo><mn>3</mn></mrow></msup></math> g', '5×10⁻³ g'],
    ['<math><mn>2</mn><mfrac><mn>1</mn><mn>2</mn></mfrac></math> tablets', '2 1/2 tablets'],
    ['<math><mfrac><mrow><mi>a</mi><mo>+</mo><mi>b</mi></mrow><mn>2</mn></mfrac></math>', '(a+b)/2'],
    ['<math><msqrt><mn>16</mn></msqrt></math>', '√16'],
    ['<math><semantics><mrow><mi>x</mi></mrow><annotation encoding="TeX">x^{99}</annotation></semantics></math>', 'x'],
    ['<mml:math><mml:msub><mml:mi>C</mml:mi><mml:mn>2</mml:mn></mml:msub></mml:math>', 'C₂'],
    ['<math alttext="a choose b"><mfrac linethickness="0"><mi>a</mi><mi>b</mi></mfrac></math>', 'a choose b'],
  ])('where it is a formula: %s', (html, text) => {
    expect(told(html)).toEqual(both(text));
  });

  test.each([
    ['<ol start="3"><li>a</li><li>b</li></ol>', '3. a 4. b'],
    ['<ol reversed><li>a</li><li>b</li></ol>', '2. a 1. b'],
    ['<ol><li value="7">a</li><li>b</li><li value="3">c</li></ol>', '7. a 8. b 3. c'],
    ['<ol type="a"><li>x</li><li>y</li></ol>', 'a. x b. y'],
    ['<ol style="list-style-type: upper-roman"><li>x</li><li>y</li></ol>', 'I. x II. y'],
    ['<ol><li><del>x</del></li><li>y</li></ol>', '2. y'],
  ])('where a list numbers it: %s', (html, text) => {
    const { root, markdown } = { root: readArticleHtml(html), markdown: readArticleHtml(html).markdown };
    expect(root.text.replaceAll('• ', '')).toBe(text);
    const shown = renderArticleBody(markdown)
      .replace(/<ol(?: start="(\d+)")?>([\s\S]*?)<\/ol>/g, (_, start = '1', items: string) => {
        let number = Number(start);
        return items.replace(/<li>/g, () => `${number++}. `);
      })
      .replace(/<[^<>]*>/g, ' ');
    expect(shown.replace(/\s+/g, ' ').trim()).toBe(text);
  });

  test.each([
    ['<table><tr><th>Age</th><th>Dose</th></tr><tr><td>1</td><td>5 ml</td></tr></table>', 'Age | Dose; 1 | 5 ml'],
    ['<p>5</p><p>0 mg</p>', '5 0 mg'],
    ['<span style="display:block">5</span><span style="display:block">0 mg</span>', '5 0 mg'],
    ['<div style="display:inline">5</div><div style="display:inline">0 mg</div>', '50 mg'],
    ['<q>5 mg</q>', '“5 mg”'],
    ['<ruby>漢<rt>kan</rt></ruby>', '漢(kan)'],
    ['<span style="text-transform:uppercase">mg</span>', 'MG'],
    ['5&nbsp;&micro;g &frac12; &#181;', '5 µg ½ µ'],
    ['5 <abbr title="micrograms">mcg</abbr> a <bdo dir="ltr">day</bdo>', '5 mcg a day'],
  ])('where blocks, quotes and styles shape it: %s', (html, text) => {
    expect(readArticleHtml(html)).toMatchObject({ text, problem: null });
  });

  test.each([
    ['5 <img src="mu.gif">g', 'a picture without a text between a number and its unit'],
    ['5 <img src="mu.gif" alt="mu.gif">g', 'a picture without a text between a number and its unit'],
    ['10<img>6', 'a picture without a text between a number and its unit'],
    ['5 <svg><path d="M0 0"/></svg> mg', 'a picture without a text between a number and its unit'],
    ['<math><mtable><mtr><mtd><mn>1</mn></mtd></mtr></mtable></math>', 'a formula that cannot be written as text'],
    ['<bdo dir="rtl">05</bdo> mg', 'shown in another order'],
    ['<span style="unicode-bidi:bidi-override;direction:rtl">05</span> mg', 'shown in another order'],
    ['\u202e05 mg', 'shown in another order'],
    ['&#x202E;05 mg', 'shown in another order'],
    ['<style>.o{text-decoration:line-through}</style><b class="o">500</b>50', 'style sheet strikes'],
    [`${'<div>'.repeat(1_100)}<del>5</del>50`, 'nests more than 1,000 levels'],
  ])('or is refused: %s', (html, reason) => {
    expect(told(html)).toEqual({ problem: expect.stringContaining(reason) });
  });
});

const now = new Date('2024-06-01T12:00:00Z');
const read = (feed: string) => readFeed(Buffer.from(feed), { now });
const item = (content: string) =>
  `<item><title>t</title><link>https://a.example/1</link><pubDate>2024-01-01</pubDate>${content}</item>`;
const rss = (items: string) =>
  `<rss version="2.0" xmlns:content="http://purl.org/rss/1.0/modules/content/" xmlns:media="http://search.yahoo.com/mrss/"><channel><title>T</title><link>https://a.example/</link>${items}</channel></rss>`;

test('an entry that cannot be told in text is rejected with the reason, others are not', () => {
  const { entries, rejected } = read(
    rss(
      item('<description>5 &lt;img src="mu.png"&gt;g</description>') +
        '<item><title>u</title><link>https://a.example/2</link><pubDate>2024-01-01</pubDate><description>5 µg</description></item>',
    ),
  );
  expect(entries.map(({ headline }) => headline)).toEqual(['u']);
  expect(rejected[0]).toMatchObject({
    position: 1,
    title: 't',
    reason:
      'it has a picture without a text between a number and its unit, so that its text alone would say something else',
  });
});

test.each([
  ['struck', 'CORRECTED: &lt;del&gt;150&lt;/del&gt; 15 mg', 'CORRECTED: 15 mg'],
  ['raised', '10&lt;sup&gt;–3&lt;/sup&gt; g', '10⁻³ g'],
  ['a picture', '5 &lt;img alt="µ"&gt;g', '5 µg'],
])('a title has its meaning too: %s', (_name, written, headline) => {
  const feed = read(rss(item('').replace('<title>t</title>', `<title>${written}</title>`)));
  expect(feed.entries).toMatchObject([{ headline }]);
});

test('a summary is cut after it was parsed', () => {
  const picture = `<img src="data:image/png;base64,${'A'.repeat(2_000_000)}" alt="A ward">`;
  const [entry] = read(
    rss(item(`<content:encoded><![CDATA[<p>${picture}</p><p>Take 5 mg.</p>]]></content:encoded>`)),
  ).entries;
  expect(entry).toMatchObject({ summary: 'Take 5 mg.', body: 'A ward\n\nTake 5 mg.' });
});

test.each(['script', 'title', 'textarea', 'style', 'b', 'del', 'sup', 'iframe', 'noscript', 'svg', 'a'])(
  'an empty <%s/> of XHTML ends where it begins',
  name => {
    const [entry] = read(
      `<feed xmlns="http://www.w3.org/2005/Atom"><title>T</title><entry><id>urn:1</id><title>t</title><link href="https://a.example/1"/><updated>2024-01-01T00:00:00Z</updated><content type="xhtml"><div xmlns="http://www.w3.org/1999/xhtml"><p>Take <${name}/>50 mg<br/>daily</p></div></content></entry></feed>`,
    ).entries;
    expect(entry).toMatchObject({ body: 'Take 50 mg\\\ndaily', summary: 'Take 50 mg daily' });
  },
);

test('text that was escaped twice shows no tags', () => {
  const [entry] = read(
    rss(
      item(
        '<content:encoded>&amp;lt;p&amp;gt;Take &amp;lt;b&amp;gt;50&amp;lt;/b&amp;gt; mg&amp;lt;/p&amp;gt;</content:encoded>',
      ),
    ),
  ).entries;
  expect(entry).toMatchObject({ body: 'Take **50** mg', summary: 'Take 50 mg' });
});

test('the text of media in a group is kept, and a picture of one pixel is none', () => {
  const [entry] = read(
    rss(
      item(
        '<media:group><media:content url="https://t.example/p.gif" medium="image" width="1" height="1"/><media:content url="https://a.example/x.jpg" medium="image" width="640" height="480"/><media:description>Take 5 mg.</media:description></media:group>',
      ),
    ),
  ).entries;
  expect(entry).toMatchObject({ body: 'Take 5 mg.', imageUrl: 'https://a.example/x.jpg' });
});

test('a named anchor is no link', () => {
  expect(readArticleHtml('<a name="dose">Dose</a> <a href="#dose">see</a>', 'https://a.example/p').markdown).toBe(
    'Dose [see](https://a.example/p#dose)',
  );
});
