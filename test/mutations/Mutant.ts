/** A line that guards something, broken on purpose: some test must fail of it. */
export interface Mutant {
  /** What would be wrong. */
  readonly name: string
  readonly file: string
  /** Stands in the file exactly once, whatever its variables are called and however it is laid out. */
  readonly snippet: string
  readonly replacement: string
  /** The test files of which one at least must fail. */
  readonly tests: ReadonlyArray<string>
}
