/** What was done between two messages. */
export interface Recording {
  /** `room/file.ts:function`, in the order in which they were entered. */
  readonly entered: ReadonlyArray<string>
  /** SQL. */
  readonly statements: ReadonlyArray<string>
}
