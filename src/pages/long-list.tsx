import { randomBytes } from 'node:crypto';
import { type ComponentChild, createContext, type JSX } from 'preact';
import { useContext } from 'preact/hooks';

/** What is rendered later, in several slices. */
export type PendingParts = Iterable<ComponentChild>;

/** Where the components of a document put what is rendered later, in its order; undefined where all is rendered at once. */
export const PendingLists = createContext<PendingParts[] | undefined>(undefined);

/** Stands in the document for what is rendered later. It is unknown outside the process, so no text of a page has it. */
export const pendingMark = randomBytes(16).toString('hex');

/** Rows of one slice, and characters of one: 1 ms for usual ones, 8 ms where each character is escaped. */
const perSlice = { rows: 500, chars: 32 * 1024 };

interface LongListProps<T> {
  items: readonly T[];
  row(item: T, at: number): JSX.Element;
  /** Characters of an item. */
  chars(item: T): number;
}

/** A list of a length that a user chooses: `documentInTurns` renders it in several turns of the event loop. */
export function LongList<T>({ items, row, chars }: LongListProps<T>): JSX.Element {
  const pending = useContext(PendingLists);
  if (!pending || items.length <= perSlice.rows) return <>{items.map(row)}</>;
  pending.push(partsOf({ items, row, chars }));
  return <>{pendingMark}</>;
}

function* partsOf<T>({ items, row, chars }: LongListProps<T>): Generator<ComponentChild> {
  let part: JSX.Element[] = [];
  let left = perSlice.chars;
  for (const [at, item] of items.entries()) {
    part.push(row(item, at));
    left -= chars(item);
    if (left > 0 && part.length < perSlice.rows) continue;
    yield part;
    [part, left] = [[], perSlice.chars];
  }
  yield part;
}

/** A text of a length that a user chooses, as `LongList`. */
export function LongText({ text }: { text: string }): JSX.Element {
  const pending = useContext(PendingLists);
  if (!pending || text.length <= perSlice.chars) return <>{text}</>;
  pending.push(piecesOf(text));
  return <>{pendingMark}</>;
}

function* piecesOf(text: string): Generator<string> {
  for (let at = 0; at < text.length; at += perSlice.chars) yield text.slice(at, at + perSlice.chars);
}
