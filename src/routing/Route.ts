/** An upstream and a model that serve a configured model. */
export interface Route {
  /** Name of an upstream. */
  readonly upstream: string
  /** The model's id at the upstream. */
  readonly model: string
  /** The protocol of its calls, if it is not the upstream's usual one. */
  readonly protocol?: string
  /** The public id of the model, if `model` is a name of the operator's own. */
  readonly knownAs?: string
  /** The name of the upstream's key to use, if it has several. */
  readonly key?: string
}

/** The name of the part of an upstream that a route calls: each protocol has a client and a circuit of its own. */
export const partOf = ({ protocol, upstream }: Pick<Route, "protocol" | "upstream">): string =>
  protocol === undefined ? upstream : `${upstream}\n${protocol}`

/** The upstream of a part. */
export const upstreamOfPart = (part: string): string => part.split("\n", 1)[0] ?? part

/** True if two routes differ by their keys at most. */
export const isSameRoute = (one: Route, other: Route): boolean =>
  one.upstream === other.upstream && one.model === other.model && one.protocol === other.protocol
