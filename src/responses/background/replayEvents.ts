import type { Include, ResponseFrame } from "../encoding.ts"
import { framesOf } from "../replay.ts"
import type { StoredResponse } from "../store/ResponseStore.ts"
import { endingOf, isEnding } from "./ending.ts"
import { isLifecycle, isOver, lifecycle } from "./lifecycle.ts"
import { shownItem } from "../encoding.ts"

/**
 * The events of a background response whose own were not stored: its beginning, and once it has ended every text in one
 * piece. Events sent before its end do not change.
 */
export const replayEvents = (stored: StoredResponse, include: Include): ReadonlyArray<ResponseFrame> => {
  const { output, response } = stored
  if (!isOver(response)) return lifecycle(response)
  const isCut = response.status === "cancelled"
  const items = framesOf(
    isCut ? { ...stored, response: { ...response, incomplete_details: { reason: "max_output_tokens" } } } : stored,
    include
  ).filter((frame) => !isLifecycle(frame) && !isEnding(frame))
  const whole = { ...response, output: output.map((item) => shownItem(item, include)) }
  return [...lifecycle(response), ...items, ...endingOf(whole)].map((frame, index) => ({
    ...frame,
    sequence_number: index
  }))
}
