import highlighter from 'highlight.js/lib/common';

export interface HighlightJob {
  /** Name of the file, by which its language is chosen. */
  name: string;
  text: string;
}

/** Languages of files without an extension that says it. */
const languageOfName: ReadonlyMap<string, string> = new Map([
  ['makefile', 'makefile'],
  ['gnumakefile', 'makefile'],
  ['dockerfile', 'bash'],
  ['.bashrc', 'bash'],
  ['.profile', 'bash'],
  ['gemfile', 'ruby'],
  ['rakefile', 'ruby'],
]);

/** Maximum characters of all lines. 256 KB of source make 1 MB; 13 KB with 1,600 open elements in each of 1,600 lines made 166 MB. */
const maxChars = 4 * 1024 * 1024;

/**
 * Entry point of the worker thread. The lines of a file as HTML in which words have classes; undefined for a language that is not
 * known, and for more than `maxChars`. Elements do not cross lines, so that each line stands alone.
 */
export function run({ name, text }: HighlightJob): string[] | undefined {
  const base = name.slice(name.lastIndexOf('/') + 1).toLowerCase();
  const extension = base.includes('.') ? base.slice(base.lastIndexOf('.') + 1) : '';
  const language = languageOfName.get(base) ?? extension;
  if (language === '' || !highlighter.getLanguage(language)) return undefined;
  return closedLines(highlighter.highlight(text, { language, ignoreIllegals: true }).value);
}

/** Closes the open elements at the end of each line and opens them in the next one. */
function closedLines(html: string): string[] | undefined {
  const open: string[] = [];
  let openChars = 0;
  let chars = 0;
  const lines: string[] = [];
  for (const line of html.split('\n')) {
    chars += openChars + line.length;
    if (chars > maxChars) return undefined;
    const before = open.join('');
    for (const [tag] of line.matchAll(/<span[^<>]*>|<\/span>/g)) {
      if (tag === '</span>') openChars -= open.pop()?.length ?? 0;
      else {
        open.push(tag);
        openChars += tag.length;
      }
    }
    lines.push(`${before}${line}${'</span>'.repeat(open.length)}`);
  }
  return lines;
}
