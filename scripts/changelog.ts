/** Text under "## [Unreleased]" of a changelog up to the next version; empty if there is none. */
export function unreleasedSection(changelog: string): string {
  return /^## \[Unreleased\]\n([\s\S]*?)(?=^## \[|(?![\s\S]))/m.exec(changelog)?.[1]?.trim() ?? '';
}

/** Text under "### Breaking" of the unreleased section; empty if there is none. */
export function breakingSection(changelog: string): string {
  return /^### Breaking\n([\s\S]*?)(?=^### |(?![\s\S]))/m.exec(unreleasedSection(changelog))?.[1]?.trim() ?? '';
}
