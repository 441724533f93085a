/** An upstream's keys. Each belongs to an organisation at the provider, which keeps what was made with it. */
export interface AtKey<Upstream> {
  /** The name of the key that its calls use (`KeyNames`), if it is one of several. */
  readonly key?: string
  /** The name of its only key; absent if it has none or several. */
  readonly onlyKey?: string
  /** The same upstream with each of its keys, the first one's included; absent unless `keys` configures it. */
  readonly keys?: ReadonlyArray<Keyed<Upstream>>
}

/** An upstream with one of its keys. */
export interface Keyed<Upstream> {
  /** The name of the key. */
  readonly key: string
  /** Its share of the conversations, relative to those of the other keys. */
  readonly weight: number
  readonly upstream: Upstream
}

/** The names of an upstream's keys, the first one first; empty if they have none. */
export const keyNames = ({ keys, onlyKey }: AtKey<unknown>): ReadonlyArray<string> =>
  keys?.map(({ key }) => key) ?? (onlyKey === undefined ? [] : [onlyKey])

/** The upstream with the key of a route; with the usual key if that one is no longer configured. */
export const atKey = <Upstream extends AtKey<Upstream>>(
  upstream: Upstream | undefined,
  key: string | undefined
): Upstream | undefined =>
  key === undefined ? upstream : (upstream?.keys?.find((one) => one.key === key)?.upstream ?? upstream)
