import highlighter from 'highlight.js/lib/common';

export interface HighlightJob {
  /** Name of the file, by which its language is chosen. */
  name: string;
  text: string;
}

/** Languages of files without an extension that says it. */
const languageOfName: Readonly<Record<string, string>> = {
  makefile: 'makefile',
  gnumakefile: 'makefile',
  dockerfile: 'bash',
  '.bashrc': 'bash',
  '.profile': 'bash',
  gemfile: 'ruby',
  rakefile: 'ruby',
};

/**
 * Entry point of the worker thread. The lines of a file as HTML in which words have classes; undefined for a language that is not
 * known. Elements do not cross lines, so that each line stands alone.
 */
export function run({ name, text }: HighlightJob): string[] | undefined {
  const base = name.slice(name.lastIndexOf('/') + 1).toLowerCase();
  const extension = base.includes('.') ? base.slice(base.lastIndexOf('.') + 1) : '';
  const language = languageOfName[base] ?? extension;
  if (language === '' || !highlighter.getLanguage(language)) return undefined;
  return closedLines(highlighter.highlight(text, { language, ignoreIllegals: true }).value);
}

/** Closes the open elements at the end of each line and opens them in the next one. */
function closedLines(html: string): string[] {
  const open: string[] = [];
  return html.split('\n').map(line => {
    const before = open.join('');
    for (const [tag] of line.matchAll(/<span[^>]*>|<\/span>/g)) {
      if (tag === '</span>') open.pop();
      else open.push(tag);
    }
    return `${before}${line}${'</span>'.repeat(open.length)}`;
  });
}
