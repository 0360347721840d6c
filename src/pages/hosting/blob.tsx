import type { JSX } from 'preact';
import { Layout } from '../layout.tsx';
import { LongList, LongText } from '../long-list.tsx';
import type { PageHistory } from './commit-summary.tsx';
import { formatBytes } from './directory.tsx';
import { LocationHeader, type PageRepository } from './repository-header.tsx';

interface PageFile {
  encoding?: string;
  content?: string;
  size?: number;
  downloadUrl?: string;
  target?: string;
}

interface Body {
  ref: string;
  path: string;
  repository: PageRepository;
  content: PageFile | null;
  highlightedLines: string[] | null;
  history: PageHistory | null;
}

/** Lines that one page shows: 20,000 are 2 MB of HTML. */
const maxLines = 20_000;

export function BlobPage({ repository, ref, path, content, highlightedLines, history }: Body): JSX.Element {
  return (
    <Layout title={`${path} · ${repository.nameWithOwner}`}>
      <LocationHeader repository={repository} refName={ref} path={path} history={history} />
      {content ? <FileView {...content} highlighted={highlightedLines} /> : <p>There is no such file.</p>}
    </Layout>
  );
}

function FileView({
  encoding,
  content,
  size,
  downloadUrl,
  target,
  highlighted,
}: PageFile & { highlighted: string[] | null }): JSX.Element {
  if (target !== undefined)
    return (
      <p>
        A symbolic link to <code>{target}</code>.
      </p>
    );
  if (size === undefined) return <p>This is no file.</p>;
  const text = encoding === 'base64' ? textOf(content ?? '') : undefined;
  return (
    <>
      <p class="muted">
        {formatBytes(size)}
        {downloadUrl && (
          <>
            {' · '}
            <a href={downloadUrl}>Raw</a>
          </>
        )}
      </p>
      {text === undefined ? (
        <p>The file is not shown: it is binary or too large.</p>
      ) : (
        <Lines text={text} highlighted={highlighted} />
      )}
    </>
  );
}

/** The HTML of highlighted lines is made by the server: text in it is escaped. */
function Lines({ text, highlighted }: { text: string; highlighted: string[] | null }): JSX.Element {
  const lines = text.replace(/\n$/, '').split('\n', maxLines + 1);
  const isCut = lines.length > maxLines;
  return (
    <>
      <div class="box scroll">
        <table class="lines">
          <tbody>
            <LongList
              items={lines.slice(0, maxLines)}
              chars={line => line.length}
              row={(line, at) => (
                <tr id={`L${at + 1}`}>
                  <td class="number">
                    <a class="line-number" href={`#L${at + 1}`}>
                      {at + 1}
                    </a>
                  </td>
                  {highlighted ? (
                    <td class="line" dangerouslySetInnerHTML={{ __html: highlighted[at] ?? '' }} />
                  ) : (
                    <td class="line">
                      <LongText text={line} />
                    </td>
                  )}
                </tr>
              )}
            />
          </tbody>
        </table>
      </div>
      {isCut && <p class="muted">Only the first {maxLines} lines are shown.</p>}
    </>
  );
}

/** The text of a file; undefined if it is binary, or not UTF-8. */
function textOf(base64: string): string | undefined {
  const bytes = Buffer.from(base64, 'base64');
  if (bytes.includes(0)) return undefined;
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    return undefined;
  }
}
