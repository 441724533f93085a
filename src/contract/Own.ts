/** One account's records, or in it those of a few keys. */
export interface Own {
  readonly account: string
  /** Only these keys', by their ids; absent: all of the account's. */
  readonly keys?: ReadonlyArray<string> | undefined
}
