import { isOid, type Oid } from '../git/object.ts';
import type { WorkBudget } from '../workers/work-budget.ts';
import { GitHttpError } from './git-http-error.ts';
import { maxCommandBytes } from './git-limits.ts';
import { lineText, PktError, type PktReader } from './pkt-line.ts';

/** The change of one ref, as git sends it. */
export interface PushCommand {
  ref: string;
  /** Undefined: the ref is created. */
  old: Oid | undefined;
  /** Undefined: the ref is deleted. */
  new: Oid | undefined;
}

export interface PushCommands {
  commands: PushCommand[];
  capabilities: ReadonlySet<string>;
  options: string[];
}

const noOid = '0'.repeat(40);
const maxOptions = 100;

/**
 * Reads what precedes the pack: commands, and the options of the push. No commands are a probe.
 * @throws PktError, GitHttpError 400, 413
 */
export async function readCommands(reader: PktReader, workBudget: WorkBudget): Promise<PushCommands> {
  const commands: PushCommand[] = [];
  let capabilities: ReadonlySet<string> = new Set();
  let isFirst = true;
  for await (const line of boundedLines(reader, workBudget)) {
    // The commits at which the clone of the pusher ends. That the parents are stored is checked anyway.
    if (line.startsWith('shallow ')) continue;
    if (line.startsWith('push-cert')) throw new GitHttpError(400, 'Signed pushes are not supported.');
    const [command = '', given] = splitOnce(line, '\0');
    if (isFirst) capabilities = new Set((given ?? '').split(' ').filter(Boolean));
    isFirst = false;
    commands.push(parseCommand(command));
  }
  if (capabilities.has('object-format=sha256')) throw new GitHttpError(400, 'Objects are named by SHA-1 here.');
  const options = capabilities.has('push-options') ? await readOptions(reader, workBudget) : [];
  return { commands, capabilities, options };
}

async function readOptions(reader: PktReader, workBudget: WorkBudget): Promise<string[]> {
  const options: string[] = [];
  for await (const line of boundedLines(reader, workBudget)) {
    if (options.length === maxOptions) throw new GitHttpError(400, `A push has at most ${maxOptions} options.`);
    options.push(line);
  }
  return options;
}

/** The lines up to the next flush packet. @throws PktError, GitHttpError 413 */
async function* boundedLines(reader: PktReader, workBudget: WorkBudget): AsyncGenerator<string> {
  let bytes = 0;
  for (let pkt = await reader.read(); pkt?.kind === 'data'; pkt = await reader.read()) {
    bytes += 4 + pkt.data.length;
    if (bytes > maxCommandBytes) {
      throw new GitHttpError(413, `The commands of the push have more than ${maxCommandBytes / 1024 / 1024} MB.`);
    }
    workBudget.spendSteps();
    if (workBudget.isTurnDue) await workBudget.turn();
    yield lineText(pkt.data);
  }
}

function parseCommand(line: string): PushCommand {
  const [old = '', rest = ''] = splitOnce(line, ' ');
  const [to = '', ref = ''] = splitOnce(rest, ' ');
  if (!isOid(old) || !isOid(to) || ref === '') throw new PktError('A command of the push cannot be read.');
  return { ref, old: old === noOid ? undefined : old, new: to === noOid ? undefined : to };
}

function splitOnce(text: string, separator: string): [string, string | undefined] {
  const at = text.indexOf(separator);
  return at < 0 ? [text, undefined] : [text.slice(0, at), text.slice(at + separator.length)];
}
