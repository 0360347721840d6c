import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';

const ops = join(import.meta.dirname, '..', '..', 'ops');

/**
 * A file of `ops/` with other addresses: the topology runs what operators copy. Each key of `replacements` is replaced wherever it
 * occurs.
 * @throws Error for a key that does not occur
 */
export function operatorFile(name: string, replacements: Record<string, string>): string {
  let text = readFileSync(join(ops, name), 'utf8');
  for (const [from, to] of Object.entries(replacements)) {
    if (!text.includes(from)) throw new Error(`ops/${name} does not contain "${from}".`);
    text = text.replaceAll(from, to);
  }
  return text;
}

interface Service {
  command?: string[];
  environment?: Record<string, string>;
}

/** A service of `ops/compose.yaml`. */
export function composeService(name: string): Service {
  const { services } = parse(readFileSync(join(ops, 'compose.yaml'), 'utf8'), { merge: true }) as {
    services: Record<string, Service>;
  };
  const service = services[name];
  if (!service) throw new Error(`ops/compose.yaml has no service ${name}.`);
  return service;
}

/** Settings of a gateway in `ops/compose.yaml`; `variables` are those of its environment file. */
export function gatewayEnvironment(variables: Record<string, string>): Record<string, string> {
  const { environment = {} } = composeService('gateway-1');
  const resolve = (text: string): string =>
    text.replace(/\$\{(\w+)(?::\?[^}]*)?\}/g, (_, name: string) => {
      const value = variables[name];
      if (value === undefined) throw new Error(`ops/compose.yaml needs the variable ${name}.`);
      return value;
    });
  return Object.fromEntries(Object.entries(environment).map(([name, text]) => [name, resolve(String(text))]));
}
