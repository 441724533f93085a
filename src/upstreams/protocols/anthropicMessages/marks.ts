import type { JsonObject } from "../../../contract/fields.ts"
import type { Marked } from "../../../generation/Conversation.ts"

export const fiveMinutes = { type: "ephemeral" }
/** The longest lifetime in the dialect. */
export const anHour = { type: "ephemeral", ttl: "1h" }

/** The dialect's form of the caller's mark. */
export const cacheControl = ({ cacheMark }: Marked): JsonObject =>
  cacheMark === undefined ? {} : { cache_control: cacheMark.ttl === undefined ? fiveMinutes : anHour }

/** Blocks whose last one has the caller's mark. */
export const markedLast = (blocks: Array<JsonObject>, { cacheMark }: Marked): Array<JsonObject> =>
  cacheMark === undefined ? blocks : withMark(blocks, cacheMark.ttl === undefined ? fiveMinutes : anHour)

/** Blocks whose last one has a mark. */
export const withMark = (blocks: ReadonlyArray<JsonObject>, mark: JsonObject): Array<JsonObject> =>
  blocks.map((block, index) => (index === blocks.length - 1 ? { ...block, cache_control: mark } : block))
