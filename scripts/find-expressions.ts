import { parseSync, visitorKeys } from 'oxc-parser';

/** A regular expression of a source file that is to be checked, or a problem with how it is written. */
export type FoundExpression = { line: number } & (
  | { kind: 'literal'; source: string; flags: string }
  | { kind: 'problem'; problem: string }
);

interface SyntaxNode {
  type: string;
  start: number;
  end: number;
  [key: string]: unknown;
}

interface Ignored {
  /** Offset of the first token behind the comment. */
  start: number;
  reason: string;
  /** How many regular expressions it covers. */
  covered: number;
}

/**
 * The regular expressions of a TypeScript file: literals, and calls of `RegExp` whose arguments are constants of the same file. Other
 * calls are problems, as are comments `recheck-ignore` without a reason or without an expression. What such a comment covers is left
 * out: all that is in the largest node that begins behind it.
 */
export function findExpressions(text: string, file: string): FoundExpression[] {
  const { program, comments } = parseSync(file, text);
  const ignored = new Map<number, Ignored>();
  for (const { value, end } of comments) {
    const reason = /^\s*recheck-ignore:?(.*)$/s.exec(value)?.[1]?.trim();
    if (reason !== undefined) ignored.set(nextToken(end), { start: end, reason, covered: 0 });
  }
  const found: FoundExpression[] = [];
  const constants = new Map<string, SyntaxNode>();
  const lineAt = (offset: number): number => text.slice(0, offset).split('\n').length;
  visit(program as unknown as SyntaxNode, undefined);
  for (const { start, reason, covered } of ignored.values()) {
    const line = lineAt(start);
    if (reason === '') found.push({ line, kind: 'problem', problem: 'recheck-ignore needs what bounds the input.' });
    if (covered === 0) found.push({ line, kind: 'problem', problem: 'recheck-ignore covers no regular expression.' });
  }
  return found;

  /** Offset of the first token from `offset` on: further comments may stand between. */
  function nextToken(offset: number): number {
    const at = offset + text.slice(offset).search(/\S/);
    const comment = comments.find(({ start }) => start === at);
    return comment ? nextToken(comment.end) : at;
  }

  function visit(node: SyntaxNode, outer: Ignored | undefined): void {
    // A program begins where its first statement does.
    const cover = outer ?? (node.type === 'Program' ? undefined : ignored.get(node.start));
    const { id, init } = node as { id?: SyntaxNode; init?: SyntaxNode };
    if (node.type === 'VariableDeclarator' && id?.type === 'Identifier' && init) constants.set(String(id.name), init);
    const expression = expressionOf(node);
    if (expression && cover) cover.covered++;
    else if (expression) found.push({ line: lineAt(node.start), ...expression });
    for (const key of visitorKeys[node.type] ?? []) {
      for (const child of [node[key]].flat() as (SyntaxNode | null | undefined)[]) if (child) visit(child, cover);
    }
  }

  function expressionOf(node: SyntaxNode) {
    const {
      regex,
      callee,
      arguments: values = [],
    } = node as {
      regex?: { pattern: string; flags: string };
      callee?: SyntaxNode;
      arguments?: SyntaxNode[];
    };
    if (node.type === 'Literal' && regex)
      return { kind: 'literal' as const, source: regex.pattern, flags: regex.flags };
    if (callee?.type !== 'Identifier' || callee.name !== 'RegExp') return undefined;
    const [source, flags] = values.map(constantText);
    if (source !== undefined && (values.length < 2 || flags !== undefined)) {
      return { kind: 'literal' as const, source, flags: flags ?? '' };
    }
    return {
      kind: 'problem' as const,
      problem: 'RegExp of what is no constant of this file: use a literal or recheck-ignore.',
    };
  }

  /** The text of a string or template whose parts are constants; undefined for anything else. */
  function constantText(node: SyntaxNode): string | undefined {
    if (node.type === 'Literal') return typeof node.value === 'string' ? node.value : undefined;
    if (node.type === 'Identifier') {
      const value = constants.get(String(node.name));
      return value && constantText(value);
    }
    if (node.type === 'TaggedTemplateExpression') return templateText(node.quasi as SyntaxNode, 'raw');
    return node.type === 'TemplateLiteral' ? templateText(node, 'cooked') : undefined;
  }

  function templateText(node: SyntaxNode, form: 'raw' | 'cooked'): string | undefined {
    const { quasis, expressions } = node as unknown as {
      quasis: { value: { raw: string; cooked: string } }[];
      expressions: SyntaxNode[];
    };
    const parts = expressions.map(constantText);
    if (parts.includes(undefined)) return undefined;
    return quasis.map(({ value }, at) => `${value[form]}${parts[at] ?? ''}`).join('');
  }
}
