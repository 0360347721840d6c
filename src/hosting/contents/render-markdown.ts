import MarkdownIt from 'markdown-it';
import sanitizeHtml, { type IOptions } from 'sanitize-html';

const markdown = new MarkdownIt({ html: true, linkify: true, typographer: false });

/** `- [ ]` and `- [x]` at the beginning of a list item become disabled checkboxes. */
markdown.core.ruler.after('inline', 'task_lists', ({ tokens, Token }) => {
  tokens.forEach((token, at) => {
    const first = token.children?.[0];
    if (token.type !== 'inline' || first?.type !== 'text') return;
    if (tokens[at - 1]?.type !== 'paragraph_open' || tokens[at - 2]?.type !== 'list_item_open') return;
    const [mark, tick] = /^\[([ xX])\] /.exec(first.content) ?? [];
    if (mark === undefined) return;
    first.content = first.content.slice(mark.length);
    const box = new Token('html_inline', '', 0);
    const isOpen = tick === ' ';
    const label = `aria-label="${isOpen ? 'Incomplete' : 'Completed'} task"`;
    box.content = `<input type="checkbox" disabled${isOpen ? '' : ' checked'} ${label}> `;
    token.children?.unshift(box);
  });
});

/** Headings get an id derived from their text, unique within the page, as a link target. */
markdown.core.ruler.push('anchors', ({ tokens }) => {
  const taken = new Map<string, number>();
  tokens.forEach((token, at) => {
    if (token.type !== 'heading_open') return;
    const words = (tokens[at + 1]?.children ?? []).map(({ content }) => content).join('');
    const slug = words
      .toLowerCase()
      .replace(/[^\p{L}\p{N}\s_-]/gu, '')
      .trim()
      .replace(/\s/g, '-');
    const times = taken.get(slug) ?? 0;
    taken.set(slug, times + 1);
    token.attrSet('id', times === 0 ? slug : `${slug}-${times}`);
  });
});

/**
 * Maximum characters of a page before it is sanitised, as the texts and addresses of its elements count. A megabyte of Markdown makes 3.
 * A reference of 20 KB that 4,000 links name made 80 MB of 36 KB.
 */
const maxPageChars = 8 * 1024 * 1024;

class LimitExceeded extends Error {}

markdown.core.ruler.push('size', ({ tokens }) => {
  let chars = 0;
  for (const token of tokens.flatMap(one => [one, ...(one.children ?? [])])) {
    chars += token.content.length;
    for (const [, value] of token.attrs ?? []) chars += `${value}`.length;
    if (chars > maxPageChars) throw new LimitExceeded();
  }
});

/** The sanitiser policy: no scripts, styles or frames, and no ids that collide with those of the surrounding page. */
const policy: IOptions = {
  allowedTags: [
    ...'h1 h2 h3 h4 h5 h6 p div span br hr pre code samp kbd var tt blockquote q cite'.split(' '),
    ...'ul ol li dl dt dd table thead tbody tfoot tr th td caption a img picture source figure figcaption'.split(' '),
    ...'b i strong em u s del ins strike sub sup small mark abbr details summary ruby rt rp input'.split(' '),
  ],
  allowedAttributes: {
    '*': ['id', 'align', 'dir', 'lang', 'title'],
    a: ['href', 'rel', 'name'],
    img: ['src', 'alt', 'width', 'height'],
    source: ['media', 'srcset'],
    input: ['type', 'disabled', 'checked', 'aria-label'],
    ol: ['start', 'type', 'reversed'],
    td: ['colspan', 'rowspan', 'align'],
    th: ['colspan', 'rowspan', 'align', 'scope'],
    details: ['open'],
  },
  allowedClasses: { code: [/^language-[\w+#.-]{1,40}$/] },
  allowedSchemes: ['http', 'https', 'mailto'],
  allowProtocolRelative: true,
  disallowedTagsMode: 'discard',
  exclusiveFilter: ({ tag, attribs }) => tag === 'input' && attribs.type !== 'checkbox',
  transformTags: {
    '*': (tagName, attribs) => {
      const { id, name, ...others } = attribs;
      const own = (text: string): string => `user-content-${text.replace(/^user-content-/, '')}`;
      return {
        tagName,
        attribs: {
          ...others,
          ...(id === undefined ? {} : { id: own(id) }),
          ...(name === undefined ? {} : { name: own(name) }),
          ...(tagName === 'a' && attribs.href !== undefined ? { rel: 'nofollow noopener' } : {}),
          ...(tagName === 'input' ? { disabled: '' } : {}),
        },
      };
    },
  },
};

// htmlparser2 takes quadratic time in the nesting depth: half a minute for a megabyte of `<a>`. Real pages are not this
// deep.
const maxDepth = 1_000;

function sanitize(html: string): string {
  let depth = 0;
  return sanitizeHtml(html, {
    ...policy,
    onOpenTag: () => {
      depth += 1;
      if (depth > maxDepth) throw new LimitExceeded();
    },
    onCloseTag: () => {
      depth -= 1;
    },
  });
}

/**
 * Renders Markdown as sanitised HTML; undefined when it is nested too deep or becomes too long. It may take long: call it on a worker
 * thread (`render-worker.ts`).
 */
export function renderMarkdown(text: string): string | undefined {
  try {
    return sanitize(markdown.render(text));
  } catch (error) {
    if (error instanceof LimitExceeded) return undefined;
    throw error;
  }
}
