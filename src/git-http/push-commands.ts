import { isOid, type Oid } from '../git/object.ts';
import { GitHttpError } from './git-http-error.ts';
import { maxPushCommands, maxReadCommands } from './git-limits.ts';
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
 * @throws PktError, GitHttpError 400
 */
export async function readCommands(reader: PktReader): Promise<PushCommands> {
  const commands: PushCommand[] = [];
  let capabilities: ReadonlySet<string> = new Set();
  let isFirst = true;
  for (let pkt = await reader.read(); pkt; pkt = await reader.read()) {
    if (pkt.kind !== 'data') break;
    const line = lineText(pkt.data);
    // The commits at which the clone of the pusher ends. That the parents are stored is checked anyway.
    if (line.startsWith('shallow ')) continue;
    if (line.startsWith('push-cert')) throw new GitHttpError(400, 'Signed pushes are not supported.');
    const [command = '', given] = splitOnce(line, '\0');
    if (isFirst) capabilities = new Set((given ?? '').split(' ').filter(Boolean));
    isFirst = false;
    if (commands.length === maxReadCommands) {
      throw new GitHttpError(400, `A push changes at most ${maxPushCommands} refs.`);
    }
    commands.push(parseCommand(command));
  }
  if (capabilities.has('object-format=sha256')) throw new GitHttpError(400, 'Objects are named by SHA-1 here.');
  return { commands, capabilities, options: capabilities.has('push-options') ? await readOptions(reader) : [] };
}

async function readOptions(reader: PktReader): Promise<string[]> {
  const options: string[] = [];
  for (let pkt = await reader.read(); pkt?.kind === 'data'; pkt = await reader.read()) {
    if (options.length === maxOptions) throw new GitHttpError(400, `A push has at most ${maxOptions} options.`);
    options.push(lineText(pkt.data));
  }
  return options;
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
