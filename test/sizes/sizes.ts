/** Texts of files by their paths. */
type Texts = ReadonlyMap<string, string>

export interface Bounds {
  /** Lines of the longest file. */
  readonly longest: number
  /** Lines of the file in the middle. */
  readonly median: number
  /** Comments that turn a rule of the linter or the compiler off. */
  readonly suppressions: number
}

export interface Sizes {
  /** What is wrong, a line each. */
  readonly complaints: ReadonlyArray<string>
  readonly longest: number
  readonly median: number
  readonly suppressions: number
}

/** How long the sources are, and how often they and what is shipped beside them turn a rule off. */
export const sizesOf = (sources: Texts, shipped: Texts, bounds: Bounds): Sizes => {
  const lines = [...sources].map(([file, text]) => ({ file, count: linesOf(text) }))
  const counts = lines.map(({ count }) => count).sort((one, other) => one - other)
  const median = counts[Math.floor((counts.length - 1) / 2)] ?? 0
  const suppressed = [...sources, ...shipped].flatMap(([file, text]) => suppressionsOf(file, text))
  return {
    longest: counts.at(-1) ?? 0,
    median,
    suppressions: suppressed.length,
    complaints: [
      ...lines
        .filter(({ count }) => count > bounds.longest)
        .map(({ count, file }) => `${file}: ${count} lines, of ${bounds.longest} at most`),
      ...(median > bounds.median ? [`the median file has ${median} lines, of ${bounds.median} at most`] : []),
      ...(suppressed.length > bounds.suppressions
        ? [`${suppressed.length} suppressions, of ${bounds.suppressions} at most:`, ...suppressed]
        : [])
    ]
  }
}

/** As `wc -l` counts them. */
const linesOf = (text: string): number => text.split("\n").length - 1

const suppression = /(?:ox|es)lint-disable|@ts-(?:expect-error|ignore|nocheck)|@effect-diagnostics/

const suppressionsOf = (file: string, text: string): ReadonlyArray<string> =>
  text.split("\n").flatMap((line, at) => (suppression.test(line) ? [`${file}:${at + 1}: ${line.trim()}`] : []))
