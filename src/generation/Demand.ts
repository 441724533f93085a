import type { HostedCall } from "../contract/records/HostedCall.ts"
import type { PieceMeasure } from "../contract/records/measures.ts"

/** A way in which a request may cost more than its plain tokens. */
export type Dimension =
  | HostedCall
  | PieceMeasure
  | "service_tier"
  | "speed"
  | "inference_geo"
  | "audio"
  | "image"
  | "long_cache"
  | "other_model"
  | "compaction"

/** A field that asks for such a dimension. */
export interface Demand {
  readonly of: Dimension
  /** The caller's path of the field (`tools[0]`). */
  readonly param: string
  /** The value that asks for it. */
  readonly value: string
  /** The other model that it asks to work, if it names one. */
  readonly model?: string
  /** The field of a conversation that takes it to upstreams of other dialects; absent if they don't get it. */
  readonly carriedAs?: "serviceTier" | "audio"
  /** The most calls, or pieces, that the request allows. */
  readonly mostCalls?: number
  /** The pieces of the request's own input, where some upstreams bill more. */
  readonly counted?: number
  /** The `quality/size` of the images that it asks for. */
  readonly image?: string
}
