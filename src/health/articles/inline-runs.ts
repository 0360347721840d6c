import { blockTags, type Element, type Picture, textContent } from './feed-tree.ts';
import { raisedText } from './raised-text.ts';

type Leaf = { text: string; element?: Element };

/**
 * Makes text of pictures, superscripts and subscripts, for which the text around them counts: a picture between a number and its unit
 * is part of the dose. Linear: every run of text between two blocks or line breaks is looked at once.
 */
export function settleRuns(root: Element, problems: Set<string>): void {
  let run: Leaf[] = [];
  const endRun = () => {
    settle(run, problems);
    run = [];
  };
  const walk = (parent: Element) => {
    for (const child of parent.children) {
      if (typeof child === 'string') run.push({ text: child });
      else if (child.tag === '#raised') {
        settleRuns(child, problems);
        run.push({ text: textContent(child), element: child });
      } else if (child.tag === '#picture') run.push({ text: '', element: child });
      else if (child.tag === 'br' || blockTags.has(child.tag)) {
        endRun();
        walk(child);
        endRun();
      } else walk(child);
    }
  };
  walk(root);
  endRun();
}

function settle(run: Leaf[], problems: Set<string>): void {
  if (!run.some(({ element }) => element)) return;
  const befores = neighbours(run, text => text.trimEnd().slice(-8) + (/\s$/.test(text) ? ' ' : ''));
  const afters = neighbours([...run].reverse(), text => text.slice(0, 200).replace(/^\s+/, ' ').slice(0, 8)).reverse();
  const alone = run.every(({ text }) => text.trim() === '');
  for (const [at, { element }] of run.entries()) {
    if (!element) continue;
    const before = befores[at] ?? '';
    const after = afters[at] ?? '';
    if (element.picture) writePicture(element, element.picture, { before, after, alone }, problems);
    else if (element.kind) {
      write(element, raisedText(textContent(element), { kind: element.kind, before: before.slice(-1), after }));
    }
  }
}

/** For each leaf the end of the last text before it. */
function neighbours(run: readonly Leaf[], edge: (text: string) => string): string[] {
  let last = '';
  return run.map(({ text, element }) => {
    const known = last;
    const shown = element?.picture ? element.picture.alt : text;
    if (shown.trim() !== '') last = edge(shown);
    return known;
  });
}

function write(element: Element, text: string): void {
  element.tag = '';
  element.children = text === '' ? [] : [text];
}

function writePicture(
  element: Element,
  picture: Picture,
  { before, after, alone }: { before: string; after: string; alone: boolean },
  problems: Set<string>,
): void {
  const { alt, invisible } = picture;
  picture.alone = alone;
  if (invisible) {
    write(element, '');
    return;
  }
  if (alt === '' && isInDose(before, after))
    problems.add('it has a picture without a text between a number and its unit');
  // Words do not run into words; a sign such as `µ` belongs to what follows.
  const isWord = [...alt].length > 2;
  const open = alone || (isWord && /\p{L}$/u.test(before) && /^\p{L}/u.test(alt)) ? ' ' : '';
  const close = alone || (isWord && /^\p{L}/u.test(after) && /\p{L}$/u.test(alt)) ? ' ' : '';
  write(element, alt === '' ? '' : open + alt + close);
}

/** `5 <img>g`, `10<img>6`, `5 <img> mg`; not `in 2020 <img> the`. */
const isInDose = (before: string, after: string): boolean =>
  /\d[\s.,±×·*/+<>=≤≥~−–^-]*$/.test(before) &&
  (/^[\p{L}\d%‰°]/u.test(after) || (/\S$/.test(before) && /^\s*[\p{L}\d%]/u.test(after)) || unit.test(after));

const unit =
  /^\s*(?:%|‰|°|[kmµμncd]?g\b|mcg\b|[mµμcd]?l\b|[nmµμ]?mol|[IU]E?U\b|units?\b|tablets?\b|times\b|hours?\b|days?\b)/i;
