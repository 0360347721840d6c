import { brandColour } from '../config/brand.ts';

/** The content of a mail before it is rendered. */
export interface MailContent {
  subject: string;
  /** First line, with the name of the recipient if it is known. */
  greeting: string;
  parts: MailPart[];
}

/** A paragraph, or a button with a link. */
export type MailPart = string | { button: string; link: string };

/** A mail with the same content as text and as HTML. */
export interface RenderedMail {
  subject: string;
  text: string;
  html: string;
}

const productName = 'Portico';
const footer = `This mail was sent by ${productName} automatically. Answers to it are not read.`;

/** Renders the content as text and as HTML. */
export function renderLayout(content: MailContent): RenderedMail {
  return { subject: content.subject, text: renderText(content), html: renderHtml(content) };
}

function renderText({ greeting, parts }: MailContent): string {
  const lines = parts.map(part => (typeof part === 'string' ? wrap(part) : `${part.button}:\n${part.link}`));
  return `${[greeting, ...lines, `-- \n${wrap(footer)}`].join('\n\n')}\n`;
}

/** Wraps at 72 characters, as mail programs expect; a longer word is not broken. */
function wrap(text: string): string {
  const lines: string[] = [];
  let line = '';
  for (const word of text.split(' ')) {
    if (line !== '' && line.length + 1 + word.length > 72) {
      lines.push(line);
      line = word;
    } else {
      line = line === '' ? word : `${line} ${word}`;
    }
  }
  return [...lines, line].join('\n');
}

// The mail program chooses the colours, light or dark; only the head and the button have their own, those of the pages.
// Styles are inline because several programs drop <head>. There is no image and nothing to fetch.
const font = "font:16px/1.5 system-ui,-apple-system,'Segoe UI',Roboto,sans-serif";
const paragraph = 'margin:0 0 16px';
const small = 'margin:0 0 16px;font-size:14px';
const onBrand = `background-color:${brandColour};color:#ffffff`;
const button = `display:inline-block;padding:12px 20px;border-radius:6px;${onBrand};font-weight:600;text-decoration:none`;
const head = `margin:0 0 24px;padding:12px 16px;border-radius:6px;${onBrand};font-weight:700`;

function renderHtml({ subject, greeting, parts }: MailContent): string {
  const body = parts.map(part => {
    if (typeof part === 'string') return `<p style="${paragraph}">${escapeHtml(part)}</p>`;
    const link = escapeHtml(part.link);
    return `<p style="margin:24px 0"><a href="${link}" style="${button}">${escapeHtml(part.button)}</a></p>
<p style="${small}">If the button does not work, open this address:<br><a href="${link}" style="color:inherit;word-break:break-all">${link}</a></p>`;
  });
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="supported-color-schemes" content="light dark">
<title>${escapeHtml(subject)}</title>
</head>
<body style="margin:0;padding:24px 16px;${font}">
<div style="max-width:544px;margin:0 auto;overflow-wrap:anywhere">
<p style="${head}">${productName}</p>
<p style="${paragraph}">${escapeHtml(greeting)}</p>
${body.join('\n')}
<hr style="margin:32px 0 16px;border:0;border-top:1px solid">
<p style="${small}">${escapeHtml(footer)}</p>
</div>
</body>
</html>
`;
}

const entities: ReadonlyMap<string, string> = new Map([
  ['&', '&amp;'],
  ['<', '&lt;'],
  ['>', '&gt;'],
  ['"', '&quot;'],
  ["'", '&#39;'],
]);

/** For text and for attribute values in double quotes. */
function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, character => entities.get(character) ?? character);
}
