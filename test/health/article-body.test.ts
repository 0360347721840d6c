import { describe, expect, test } from '@jest/globals';
import { array, assert, constantFrom, oneof, property, string } from 'fast-check';
import { htmlToMarkdown, readTimeMinutes, renderArticleBody } from '../../src/health/articles/article-body.ts';
import { plainText } from '../../src/health/articles/plain-text.ts';

const roundTrip = (html: string, base?: string): string => renderArticleBody(htmlToMarkdown(html, base));
const letters = (html: string): string => plainText(html).replace(/\s/g, '');

/** Every start tag in `html`, so that attributes in text are ignored. */
const tags = (html: string): string[] => html.match(/<[^>]*>/g) ?? [];

const harmless =
  /^<(?:\/?(?:p|h[2-4]|[uo]l|li|blockquote|strong|em|a|code|pre|table|thead|tbody|t[rhd])|ol start="\d+"|[bh]r \/|a href="(?:https?:|mailto:)[^"]*" rel="nofollow noopener")>$/;

function expectHarmless(html: string): void {
  expect(tags(html).filter(tag => !harmless.test(tag))).toEqual([]);
  expect(html).not.toMatch(/<script/i);
}

const attacks = [
  '<script>alert(1)</script>',
  '<scr<script>ipt>alert(1)</script>',
  '<img src=x onerror=alert(1)>',
  '<svg/onload=alert(1)>',
  '<svg><a xlink:href="javascript:alert(1)"><text>x</text></a></svg>',
  '<math><mi href="javascript:alert(1)">x</mi></math>',
  '<iframe src="javascript:alert(1)"></iframe>',
  '<a href="javascript:alert(1)">x</a>',
  '<a href="JaVaScRiPt:alert(1)">x</a>',
  '<a href="java\tscript:alert(1)">x</a>',
  '<a href="java&#x0A;script:alert(1)">x</a>',
  '<a href=" &#14; javascript:alert(1)">x</a>',
  '<a href="&#106;&#97;vascript&colon;alert(1)">x</a>',
  '<a href="vbscript:msgbox(1)">x</a>',
  '<a href="data:text/html;base64,PHNjcmlwdD4=">x</a>',
  '<a href="https://x.org/" onclick="alert(1)" style="x:expression(1)" class="c" id="i">x</a>',
  '<p style="background:url(javascript:1)" onmouseover=alert(1)>x</p>',
  '<noscript><p title="</noscript><img src=x onerror=alert(1)>">',
  '<style>@import "javascript:alert(1)";</style><link rel=stylesheet href=javascript:alert(1)>',
  '<form action="javascript:alert(1)"><button formaction="javascript:alert(1)">x</button></form>',
  '<a href="ftp://x.org/">x</a><a href="https://x.org/">x</a>',
  '[x](javascript:alert(1))',
  '[x](<java\nscript:alert(1)>)',
  '[x](&#106;avascript:alert(1))',
  '<javascript:alert(1)>',
  '[x]: javascript:alert(1)\n\n[x]',
  '![x](https://x.org/" onerror="alert(1))',
  '[x](https://x.org/"onmouseover="alert(1))',
  '`<script>`\n\n```html" onload="1\n<script>\n```',
];

describe('what is served', () => {
  test.each(attacks)('is harmless, as Markdown and as HTML: %s', attack => {
    expectHarmless(renderArticleBody(attack));
    expectHarmless(roundTrip(attack));
  });

  test('is harmless for any text, and nothing ever throws', () => {
    const pieces = oneof(
      string({ unit: 'binary', maxLength: 20 }),
      string({ unit: constantFrom(...'<>[]()!"\'`*_&#:;/\\=\n\t -|~^0aA') }),
      constantFrom(
        ...attacks,
        'javascript:',
        ' onerror=',
        '<a href="',
        '](',
        '&lt;',
        '&#60;',
        '<!--',
        '\u0000',
        '\uD800',
      ),
    );
    const text = array(pieces, { maxLength: 12 }).map(parts => parts.join(''));
    assert(
      property(text, written => {
        expectHarmless(renderArticleBody(written));
        expectHarmless(roundTrip(written));
        expectHarmless(renderArticleBody(plainText(written)));
        expect(readTimeMinutes(written)).toBeGreaterThanOrEqual(1);
      }),
      { numRuns: 500 },
    );
  });

  test('has no images, which would reveal readers to their host, but their texts', () => {
    expect(renderArticleBody('![A heart](https://x.org/h.png) beats')).toBe('<p>A heart beats</p>');
    expect(roundTrip('<p><img src="https://x.org/h.png" alt="A heart">beats</p>')).toBe('<p>A heart beats</p>');
  });

  test('escapes HTML in Markdown and demotes first-level headings', () => {
    expect(renderArticleBody('# One\n\n##### Five\n\n<b>x</b>')).toBe(
      '<h2>One</h2>\n<h4>Five</h4>\n<p>&lt;b&gt;x&lt;/b&gt;</p>',
    );
  });

  test('links to http, https and mailto only', () => {
    expect(
      renderArticleBody('[a](https://a.org/x?y=1&z=2) [b](mailto:b@b.org) [c](/c) [d](ftp://d.org/) www.e.org'),
    ).toBe(
      '<p><a href="https://a.org/x?y=1&amp;z=2" rel="nofollow noopener">a</a> <a href="mailto:b@b.org" rel="nofollow noopener">b</a> c d www.e.org</p>',
    );
    expect(renderArticleBody('[who](https://who.int@evil.example/)')).toContain('href="https://evil.example/"');
  });
});

describe('HTML becomes Markdown', () => {
  test('with its structure', () => {
    const html = `<h1>Sleep</h1><div>Rest <b>well</b>, <i>daily</i>.</div><ul><li>one<ol><li>deep</li></ol></li><li>two</li></ul>
      <blockquote><p>quoted</p></blockquote><pre><code>a  b
  c</code></pre><hr><p>line<br>next <code>x</code></p>`;
    expect(htmlToMarkdown(html)).toBe(
      '## Sleep\n\nRest **well**, *daily*.\n\n- one\n  1. deep\n- two\n\n> quoted\n\n```\na  b\n  c\n```\n\n***\n\nline\\\nnext `x`',
    );
    expect(tags(roundTrip(html)).join('')).toBe(
      '<h2></h2><p><strong></strong><em></em></p><ul><li><ol><li></li></ol></li><li></li></ul><blockquote><p></p></blockquote><pre><code></code></pre><hr /><p><br /><code></code></p>',
    );
  });

  test('with tables, repeating spanning cells so that no dose moves under another header', () => {
    const html = `<table><caption>Doses</caption><tr><th>Age</th><th colspan="2">Dose</th></tr>
      <tr><td rowspan="2">1 | 2</td><td>5</td><td><p>ml</p></td></tr><tr><td>6</td><td>g</td></tr></table>`;
    expect(htmlToMarkdown(html)).toBe(
      'Doses\n\n| Age | Dose | Dose |\n| --- | --- | --- |\n| 1 \\| 2 | 5 | ml |\n| 1 \\| 2 | 6 | g |',
    );
    expect(roundTrip(html)).toContain('<td>1 | 2</td>');
  });

  test('with the text of layout tables', () => {
    expect(htmlToMarkdown('<table><tr><td><h2>Left</h2><p>a</p></td><td>right</td></tr></table>')).toBe(
      '## Left\n\na\n\nright',
    );
  });

  test('with superscripts and subscripts that do not become other numbers', () => {
    expect(
      htmlToMarkdown('10<sup>6</sup> m<sup>2</sup> H<sub>2</sub>O Ca<sup>2+</sup> 10<sup>1.5</sup> 1<sup>st</sup>'),
    ).toBe('10⁶ m² H₂O Ca²⁺ 10^1.5 1st');
  });

  test('with relative links resolved, or without the link', () => {
    expect(htmlToMarkdown('<a href="../b?c=(1)">x</a>', 'https://a.org/p/q')).toBe('[x](https://a.org/b?c=%281%29)');
    expect(htmlToMarkdown('<a href="../b">x</a>')).toBe('x');
  });

  test('with Markdown syntax in text escaped', () => {
    const html =
      '<p>1. one<br>- two<br># three<br>&gt; four<br>a | b<br>--- | ---</p><p>*s* _u_ [l](x) `c` &amp;amp; \\ a!<a href="https://a.org/">b</a></p>';
    expect(letters(roundTrip(html))).toBe(letters(html.replace(/&amp;amp;/, '&amp;amp;amp;')));
    expect(tags(roundTrip(html)).filter(tag => !/^<(\/?p|br \/|\/?a.*)>$/.test(tag))).toEqual([]);
  });

  test('with consecutive lists kept apart, and double line breaks as paragraphs', () => {
    expect(roundTrip('<ul><li>a</li></ul><ul><li>b</li></ul>')).toBe(
      '<ul>\n<li>a</li>\n</ul>\n<ul>\n<li>b</li>\n</ul>',
    );
    expect(htmlToMarkdown('a<br><br>b')).toBe('a\n\nb');
  });

  test('without losing a word, for any nesting', () => {
    const words = string({ unit: constantFrom(...'ab1 .,:-*_`[]()!#>|~&;\\\n'), maxLength: 12 }).map(escapeHtml);
    const tag = constantFrom(
      ...'p h2 h3 ul ol li blockquote strong em code pre div table tr td th span a b i'.split(' '),
    );
    const parts = array(
      oneof(
        { weight: 3, arbitrary: words },
        tag.map(name => `<${name} href="https://a.org/x_(y)">`),
        tag.map(name => `</${name}>`),
        constantFrom('<br>', '<hr>'),
      ),
      { maxLength: 25 },
    );
    assert(
      property(parts, pieces => {
        const html = pieces.join('');
        const markdown = htmlToMarkdown(html);
        expect(visible(renderArticleBody(markdown))).toBe(visible(html));
      }),
      { numRuns: 600 },
    );
  });

  test('for a document of any depth, and no longer than 200,000 characters', () => {
    expect(htmlToMarkdown(`${'<div><ul><li>'.repeat(30_000)}deep`)).toContain('deep');
    expect(htmlToMarkdown(`<table>${'<tr>'.repeat(130_000)}<td>a<td>b`)).toContain('| a | b |');
    expect(htmlToMarkdown(`${'<blockquote>'.repeat(1_000)}deep`)).toMatch(/^(> )+deep$/);
    const long = htmlToMarkdown('<p>word word word word</p>'.repeat(20_000));
    expect(long.length).toBeLessThanOrEqual(200_000);
    expect(long).toMatch(/word\n\n…$/);
  });
});

const escapeHtml = (text: string): string => text.replace(/&/g, '&amp;').replace(/</g, '&lt;').replace(/>/g, '&gt;');
const visible = (html: string): string =>
  html
    .replace(/<[^<>]*>/g, '')
    .replace(/&lt;/g, '<')
    .replace(/&gt;/g, '>')
    .replace(/&quot;/g, '"')
    .replace(/&amp;/g, '&')
    .replace(/\s/g, '');

describe('plain text', () => {
  test.each([
    ['<b>Tom</b> &amp; Jerry', 'Tom & Jerry'],
    ['Tom &amp;amp; Jerry', 'Tom & Jerry'],
    ['&lt;em&gt;Fresh&lt;/em&gt; air', 'Fresh air'],
    ['<p>one</p><p>two</p>three<br>four', 'one two three four'],
    ['BMI <25, p<0.05, a < b', 'BMI <25, p<0.05, a < b'],
    [' a\u0000b\u0007 c&#1;d\u202e \u00a0 e\n\tf ', 'ab cd e f'],
    ['x<script>alert(1)</script><style>p{}</style>y<!-- <p>z</p> -->', 'xy'],
    ['&#x1F600; caf&eacute; \ud83d', '😀 café \ufffd'],
    ['kg/m<sup>2</sup>', 'kg/m²'],
    ['', ''],
  ])('of %j is %j', (html, text) => {
    expect(plainText(html)).toBe(text);
  });

  test('has no control characters and no repeated spaces', () => {
    assert(
      property(string({ unit: 'binary' }), text => {
        const plain = plainText(text);
        expect(plain).not.toMatch(/[\p{Cc}\p{Cs}]|\s\s|^\s|\s$/u);
      }),
    );
  });
});

test('reading time is a minute per 200 words, at least one', () => {
  expect(readTimeMinutes('')).toBe(1);
  expect(readTimeMinutes('word '.repeat(200))).toBe(1);
  expect(readTimeMinutes('word '.repeat(201))).toBe(2);
  expect(readTimeMinutes('[word](https://a-b.org/c/d/e/f) '.repeat(200))).toBe(1);
  expect(readTimeMinutes('- **don’t** 3.5 — well-known\n'.repeat(67))).toBe(2);
  expect(readTimeMinutes('健'.repeat(401))).toBe(2);
});
