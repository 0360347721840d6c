import { matchTexts } from 'triage/knowledge/matcher';
import { classifyMessage } from 'triage/signs/classify-message';
import { matchesEtag } from '../../packages/operation-rest/src/conditional-requests.ts';
import { acceptJson } from '../../packages/operation-rest/src/define-product.ts';
import { acceptsEventStream } from '../../packages/operation-rest/src/event-stream.ts';
import { findJsonExcess } from '../../packages/operation-rest/src/json-complexity.ts';
import { parseMultipart } from '../../packages/operation-rest/src/multipart-form.ts';
import { parseQueryString } from '../../packages/operation-rest/src/query-string.ts';
import { parseBasicToken } from '../../src/auth/credentials/basic-token.ts';
import { formatCommit } from '../../src/git/archives/commit-format.ts';
import { parseCommit, parseTag } from '../../src/git/commit.ts';
import { parseDelta } from '../../src/git/delta.ts';
import { isGitFile, splitPath } from '../../src/git/entry-path.ts';
import { formatHeader } from '../../src/git/mail-header.ts';
import { cleanPersonText, parsePerson, parseTimestamp } from '../../src/git/person.ts';
import { isRefName } from '../../src/git/ref-name.ts';
import { splitRevision } from '../../src/git/revision-suffix.ts';
import { splitSignature } from '../../src/git/signatures/signed-commit.ts';
import { parseSshKey, parseSshSignature } from '../../src/git/signatures/ssh-signature.ts';
import { parseTree } from '../../src/git/tree.ts';
import { compileWildcard } from '../../src/git/wildcard-pattern.ts';
import { parseGitRoute } from '../../src/git-http/git-route.ts';
import { bytesOf, PktReader } from '../../src/git-http/pkt-line.ts';
import { htmlToMarkdown, renderArticleBody } from '../../src/health/articles/article-body.ts';
import { parseArticleSearch } from '../../src/health/articles/article-terms.ts';
import { categorySlug, truncate } from '../../src/health/articles/feed-text.ts';
import { parseFeedDate } from '../../src/health/articles/parse-feed-date.ts';
import { plainText } from '../../src/health/articles/plain-text.ts';
import { canonicalLink, readFeed } from '../../src/health/articles/read-feed.ts';
import { findSafePhrase } from '../../src/health/companion/model/safe-phrases.ts';
import { findUnsafeClaim } from '../../src/health/companion/model/unsafe-claims.ts';
import { markdownToText } from '../../src/health/companion/retrieval/article-sections.ts';
import { InputChecks } from '../../src/health/input/input-checks.ts';
import { parseGitmodules } from '../../src/hosting/contents/submodules.ts';
import { exported } from './complexity.ts';
import { findAttributes } from './find-attributes.ts';
import { requestBudget } from './request-budgets.ts';
import type { FuzzTarget } from './time-fuzzer.ts';
import { userLimits } from './user-limits.ts';

const oid = 'ab'.repeat(20);
const author = 'A U Thor <author@example.org> 1700000000 +0100';
const commit = `tree ${oid}\nparent ${oid}\nauthor ${author}\ncommitter ${author}\nencoding UTF-8\ngpgsig -----BEGIN PGP SIGNATURE-----\n \n iQ==\n -----END PGP SIGNATURE-----\n\nSubject\n\nBody\n`;
const tag = `object ${oid}\ntype commit\ntag v1\ntagger ${author}\n\nMessage\n`;
const parsed = parseCommit(Buffer.from(commit), oid);

/** Runs a parser whose errors are answers. */
const tolerant =
  (parse: (text: string) => unknown) =>
  async (text: string): Promise<void> => {
    try {
      await parse(text);
    } catch (error) {
      if (error instanceof RangeError) throw error;
    }
  };

const latin1 = (parse: (bytes: Buffer) => unknown) => tolerant(text => parse(Buffer.from(text, 'latin1')));

const git: FuzzTarget[] = [
  {
    name: 'a commit',
    covers: exported('src/git/commit.ts', 'parseCommit', 'parseHeaders', 'parseLinks'),
    seeds: [commit],
    largest: userLimits.commitBytes / 4,
    run: latin1(content => parseCommit(content, oid)),
  },
  {
    name: 'a tag',
    covers: exported('src/git/commit.ts', 'parseTag'),
    seeds: [tag],
    largest: userLimits.commitBytes / 4,
    run: latin1(content => parseTag(content, oid)),
  },
  {
    name: 'the signature of a commit',
    covers: exported('src/git/signatures/signed-commit.ts', 'splitSignature'),
    seeds: [commit],
    largest: userLimits.commitBytes / 4,
    run: latin1(splitSignature),
  },
  {
    name: 'a person',
    covers: exported('src/git/person.ts', 'parsePerson', 'parseTimestamp', 'cleanPersonText'),
    seeds: [author, '2026-11-01T12:00:00.123Z', '2026-11-01 12:00:00+01:00'],
    largest: userLimits.bodyBytes,
    run: tolerant(text => [parsePerson(Buffer.from(text)), parseTimestamp(text), cleanPersonText(text)]),
  },
  {
    name: 'a tree',
    covers: exported('src/git/tree.ts', 'parseTree'),
    seeds: [`100644 a\0${'\x01'.repeat(20)}40000 b\0${'\x02'.repeat(20)}`],
    largest: userLimits.bodyBytes,
    run: latin1(content => parseTree(content, oid)),
  },
  {
    name: 'a delta',
    covers: exported('src/git/delta.ts', 'parseDelta'),
    seeds: ['\x10\x12\x90\x10\x02ab', '\x81\x01\x05\x05abcde\xb0\x10\x01'],
    largest: userLimits.bodyBytes,
    run: latin1(bytes => parseDelta(bytes, requestBudget())),
  },
  {
    name: '.gitattributes',
    covers: exported('src/git/archives/attributes.ts', 'AttributeRules', 'parseAttributes'),
    seeds: [
      '*.txt text eol=crlf\n',
      '"a\\tb" -text !eol ident\r\n',
      '[attr]binary -diff\n# comment\n',
      '/a/**/b/ export-ignore\n',
    ],
    largest: userLimits.configBytes,
    run: tolerant(text => findAttributes(text, 'a/b/c.txt')),
  },
  {
    name: '.gitmodules',
    covers: exported('src/hosting/contents/submodules.ts', 'parseGitmodules'),
    seeds: ['[submodule "a"]\n\tpath = a\n\turl = "https://example.org/a"\n', '# comment\n[other]\r\n'],
    largest: userLimits.configBytes,
    run: tolerant(parseGitmodules),
  },
  {
    name: 'a wildcard pattern',
    covers: exported('src/git/wildcard-pattern.ts', 'compileWildcard'),
    seeds: ['src/**/*.ts', '[a-z]*?b', 'a/[!b-d]/**', '*a*b*c'],
    largest: 2_048,
    run: tolerant(text => compileWildcard(text, { matchesRest: true })?.('a/'.repeat(1_000) + 'a'.repeat(200))),
  },
  {
    name: 'placeholders of a commit',
    covers: exported('src/git/archives/commit-format.ts', 'formatCommit'),
    seeds: ['%H %an <%ae> %aI', '%(describe:tags=true)', '%x41%%%f%b', '%d%D%n'],
    largest: 128 * 1024,
    place: 'worker',
    run: tolerant(text => formatCommit(text, oid, parsed, 8 * 1024 * 1024)),
  },
  {
    name: 'a message and its placeholders',
    covers: exported('src/git/archives/commit-format.ts', 'formatCommit'),
    seeds: ['Subject of a commit\n\nBody\nSigned-off-by: A\n', '...a--b  c\n'],
    largest: 128 * 1024,
    place: 'worker',
    run: tolerant(text => formatCommit('%s%f%b%B', oid, { ...parsed, message: Buffer.from(text) }, 8 * 1024 * 1024)),
  },
  {
    name: 'names of paths, refs and revisions',
    covers: [
      ...exported('src/git/entry-path.ts', 'splitPath', 'isGitFile'),
      ...exported('src/git/ref-name.ts', 'isRefName'),
      ...exported('src/git/revision-suffix.ts', 'splitRevision'),
    ],
    seeds: ['src/.git. /GIT~1:$DATA', 'refs/heads/a.lock', 'main~2^2^{tree}', '.gitmodules. '],
    largest: userLimits.bodyBytes,
    run: async text => {
      await tolerant(splitPath)(text);
      return [isGitFile(text), isRefName(text), splitRevision(text)];
    },
  },
  {
    name: 'signatures and keys of SSH',
    covers: exported('src/git/signatures/ssh-signature.ts', 'parseSshSignature', 'parseSshKey'),
    seeds: ['-----BEGIN SSH SIGNATURE-----\nU1NIU0lH\n-----END SSH SIGNATURE-----\n', 'ssh-ed25519 AAAAC3Nz name'],
    largest: userLimits.bodyBytes,
    run: tolerant(text => [parseSshSignature(text), parseSshKey(text)]),
  },
  {
    name: 'the header of a mail',
    covers: exported('src/git/mail-header.ts', 'formatHeader'),
    seeds: ['[PATCH] A subject =?UTF-8?q?=C3=A4?= and more', 'ä ö ü'],
    largest: 64 * 1024,
    run: tolerant(text => formatHeader('Subject:', text)),
  },
];

const http: FuzzTarget[] = [
  {
    name: 'lines of the wire format',
    covers: exported('src/git-http/pkt-line.ts', 'PktReader'),
    seeds: ['0032want abababababababababababababababababababab\n', '0000', '00010004'],
    largest: userLimits.bodyBytes,
    run: latin1(async bytes => {
      const reader = new PktReader(bytesOf(bytes));
      while (await reader.read());
    }),
  },
  {
    name: 'headers of requests',
    covers: [
      ...exported('src/auth/credentials/basic-token.ts', 'parseBasicToken'),
      ...exported('packages/operation-rest/src/conditional-requests.ts', 'matchesEtag'),
      ...exported('packages/operation-rest/src/define-product.ts', 'acceptJson'),
      ...exported('packages/operation-rest/src/event-stream.ts', 'acceptsEventStream'),
    ],
    seeds: ['Basic dXNlcjpwYXNz', 'W/"a", "b"', 'text/event-stream;q=0.9, application/json;q=0.8, */*'],
    largest: userLimits.headerBytes,
    run: tolerant(text => [
      parseBasicToken(text),
      matchesEtag(text, '"x"'),
      acceptJson(text),
      acceptsEventStream(text),
    ]),
  },
  {
    name: 'addresses of requests',
    covers: [
      ...exported('src/git-http/git-route.ts', 'parseGitRoute'),
      ...exported('packages/operation-rest/src/query-string.ts', 'parseQueryString'),
    ],
    seeds: ['/tomas/site.git/info/refs?service=git-upload-pack', '/a/b/objects/pack/c', '?a=b&c=%20+d&&=e'],
    largest: userLimits.headerBytes,
    run: tolerant(text => [parseGitRoute(text, () => false), parseQueryString(text)]),
  },
  {
    name: 'JSON before it is parsed',
    covers: exported('packages/operation-rest/src/json-complexity.ts', 'findJsonExcess'),
    seeds: ['{"a":[1,true,null,{"b":"c\\"d\\\\"}]}'],
    largest: 1024 * 1024,
    run: tolerant(text => findJsonExcess(text)),
  },
  {
    name: 'a multipart form',
    covers: exported('packages/operation-rest/src/multipart-form.ts', 'parseMultipart'),
    seeds: [
      '--x\r\nContent-Disposition: form-data; name="a"; filename="b"\r\nContent-Type: text/plain\r\n\r\nc\r\n--x--\r\n',
    ],
    largest: userLimits.bodyBytes,
    run: tolerant(text => parseMultipart('multipart/form-data; boundary=x', Buffer.from(text, 'latin1'), 65_536)),
  },
];

const people = [
  'I have severe chest pain, and no fever for 3 days.',
  'болит голова',
  '我头痛',
  'أريد أن أموت',
  'mg/dl 120/80 C',
];

const health: FuzzTarget[] = [
  {
    name: 'a message to the companion',
    covers: exported('packages/triage/src/signs/classify-message.ts', 'classifyMessage'),
    seeds: [...people, 'I want to kill myself', 'my friend may hurt someone'],
    largest: 2_000,
    run: tolerant(text => classifyMessage(text)),
  },
  {
    name: 'the notes of an assessment',
    covers: exported('packages/triage/src/knowledge/matcher.ts', 'matchTexts'),
    seeds: people,
    largest: 2_000,
    run: tolerant(text => matchTexts([text])),
  },
  {
    name: 'a sentence of a model',
    covers: [
      ...exported('src/health/companion/model/unsafe-claims.ts', 'findUnsafeClaim'),
      ...exported('src/health/companion/model/safe-phrases.ts', 'findSafePhrase'),
    ],
    seeds: [
      'You should take 400 mg of ibuprofen every 6 hours.',
      'I am sorry that you feel this way, please see a doctor [1].',
    ],
    // `splitSentences` ends a longer one.
    largest: 1_000,
    run: tolerant(text => [findUnsafeClaim(text), findSafePhrase(text)]),
  },
  {
    name: 'a search for articles',
    covers: exported('src/health/articles/article-terms.ts', 'parseArticleSearch'),
    seeds: ['"high blood pressure" diet', "what is covid-19, and how long 'does it' last", 'diabetes type 2'],
    largest: 500,
    run: tolerant(text => parseArticleSearch(text)),
  },
  {
    name: 'HTML of a feed',
    covers: exported('src/health/articles/article-body.ts', 'htmlToMarkdown').concat(
      exported('src/health/articles/plain-text.ts', 'plainText'),
    ),
    seeds: [
      '<p>a <b>b</b> <a href="/c">d</a><br>10<sup>6</sup> &amp; <!-- e --></p>',
      '<table><tr><td>a</td></tr></table>',
      '<ul><li>a</ul>',
    ],
    largest: 200_000,
    place: 'worker',
    run: tolerant(text => [htmlToMarkdown(text), plainText(text)]),
  },
  {
    name: 'the body of an article',
    covers: [
      ...exported('src/health/articles/article-body.ts', 'renderArticleBody'),
      ...exported('src/health/companion/retrieval/article-sections.ts', 'markdownToText'),
    ],
    seeds: [
      '## a\n\n*b* **c** [d](/e) ![f](g)\n\n- h\n- i\n\n> j\n\n| k | l |\n|---|---|\n| m | n |\n',
      '`a` ``b`` \\* &amp; <c>',
    ],
    largest: 200_000,
    place: 'worker',
    run: tolerant(text => [renderArticleBody(text), markdownToText(text)]),
  },
  {
    name: 'a feed',
    covers: exported('src/health/articles/read-feed.ts', 'readFeed'),
    seeds: [
      '<?xml version="1.0"?><rss version="2.0"><channel><title>a</title><item><title>b</title><link>https://example.org/b</link><author>c@d (e)</author><description><![CDATA[<p>f</p>]]></description></item></channel></rss>',
      '{"version":"https://jsonfeed.org/version/1.1","title":"a","items":[{"id":"b","url":"https://example.org/b"}]}',
    ],
    largest: 200_000,
    place: 'worker',
    run: tolerant(text => readFeed(Buffer.from(text), { now: new Date('2026-11-28') })),
  },
  {
    name: 'small texts of a feed',
    covers: [
      ...exported('src/health/articles/parse-feed-date.ts', 'parseFeedDate'),
      ...exported('src/health/articles/read-feed.ts', 'canonicalLink'),
      ...exported('src/health/articles/feed-text.ts', 'truncate', 'categorySlug'),
    ],
    seeds: [
      'Sat, 28 Nov 2026 12:00:00 +0100',
      '2026-11-28T12:00:00Z',
      'https://example.org/a/../b?utm_source=c#d',
      "Women's Health & Diet",
    ],
    largest: 200_000,
    place: 'worker',
    run: tolerant(text => [parseFeedDate(text), canonicalLink(text), truncate(text, 300), categorySlug(text)]),
  },
  {
    name: 'a field of an input',
    covers: exported('src/health/input/input-checks.ts', 'InputChecks'),
    seeds: ['Ann\u202enimda', ' a\u0000b\n', '\u200b\u2800'],
    largest: userLimits.bodyBytes,
    run: tolerant(text => new InputChecks().name('a', text, { maxLength: 100 })),
  },
];

export const fuzzTargets: readonly FuzzTarget[] = [...git, ...http, ...health];
