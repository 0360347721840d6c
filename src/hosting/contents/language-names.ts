/**
 * Languages by the endings of their files, as GitHub's Linguist spells them. Data and prose, such as JSON, YAML and Markdown, are not
 * counted, as there. An ending that several languages share stands for the most frequent one.
 */
// biome-ignore lint/plugin/word-tables: only iterated
const endings: Readonly<Record<string, string>> = {
  Assembly: 'asm nasm',
  C: 'c h',
  'C#': 'cs csx',
  'C++': 'cpp cc cxx hpp hh hxx',
  Clojure: 'clj cljs cljc edn',
  CMake: 'cmake',
  CoffeeScript: 'coffee',
  'Common Lisp': 'lisp cl',
  Crystal: 'cr',
  CSS: 'css',
  D: 'd',
  Dart: 'dart',
  Elixir: 'ex exs',
  Elm: 'elm',
  'Emacs Lisp': 'el',
  Erlang: 'erl hrl',
  'F#': 'fs fsi fsx',
  Fortran: 'f f90 f95 f03',
  Go: 'go',
  Groovy: 'groovy gradle',
  Haskell: 'hs lhs',
  HCL: 'tf hcl',
  HTML: 'html htm xhtml',
  Java: 'java',
  JavaScript: 'js mjs cjs jsx',
  Julia: 'jl',
  'Jupyter Notebook': 'ipynb',
  Kotlin: 'kt kts',
  Less: 'less',
  Lua: 'lua',
  Makefile: 'mk mak',
  MATLAB: 'matlab',
  Nim: 'nim',
  Nix: 'nix',
  'Objective-C': 'm',
  'Objective-C++': 'mm',
  OCaml: 'ml mli',
  Pascal: 'pas pp',
  Perl: 'pl pm',
  PHP: 'php phtml',
  PLpgSQL: 'pgsql plpgsql',
  PowerShell: 'ps1 psm1 psd1',
  Prolog: 'prolog pro',
  Python: 'py pyi pyw',
  R: 'r rmd',
  Racket: 'rkt',
  Ruby: 'rb rake gemspec',
  Rust: 'rs',
  Sass: 'sass',
  Scala: 'scala sc',
  Scheme: 'scm ss',
  SCSS: 'scss',
  Shell: 'sh bash zsh ksh',
  Solidity: 'sol',
  Svelte: 'svelte',
  Swift: 'swift',
  SystemVerilog: 'sv svh',
  Tcl: 'tcl',
  TeX: 'tex sty cls',
  TypeScript: 'ts mts cts tsx',
  Verilog: 'v',
  VHDL: 'vhd vhdl',
  'Vim Script': 'vim',
  'Visual Basic .NET': 'vb',
  Vue: 'vue',
  XSLT: 'xsl xslt',
  Zig: 'zig',
};

const byEnding = new Map(
  Object.entries(endings).flatMap(([language, list]) => list.split(' ').map(ending => [ending, language] as const)),
);

/** Files whose whole name says the language. */
const byName = new Map([
  ['dockerfile', 'Dockerfile'],
  ['makefile', 'Makefile'],
  ['gnumakefile', 'Makefile'],
  ['cmakelists.txt', 'CMake'],
  ['rakefile', 'Ruby'],
  ['gemfile', 'Ruby'],
]);

/** Undefined for a file that is not counted. */
export function languageOfFile(name: string): string | undefined {
  const key = name.toLowerCase();
  const dot = key.lastIndexOf('.');
  return byName.get(key) ?? (dot < 0 ? undefined : byEnding.get(key.slice(dot + 1)));
}
