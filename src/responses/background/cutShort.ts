import type { SqlError } from "@effect/sql/SqlError"
import { Effect } from "effect"
import type { Task } from "../../tasks/Task.ts"
import type { ResponseFrame } from "../encoding.ts"
import type { OutputItem, ResponseObject } from "../ResponseObject.ts"
import { ResponseEvents } from "../store/ResponseEvents.ts"
import { ResponseStore } from "../store/ResponseStore.ts"
import { cancelledResponse, endingOf } from "./ending.ts"
import { ItemsSoFar } from "./ItemsSoFar.ts"

/** A response whose task ended without an answer of the model. */
export interface CutShort {
  readonly response: ResponseObject
  readonly output: ReadonlyArray<OutputItem>
  readonly frames: ReadonlyArray<ResponseFrame>
}

/** The final response of a task that was ended elsewhere, with the output that its readers have seen. */
export const makeCutShort = Effect.gen(function* () {
  const store = yield* ResponseStore
  const events = yield* ResponseEvents

  const toldOf = Effect.fnUntraced(function* (id: string) {
    const items = new ItemsSoFar()
    const frames = yield* events.all(id, -1)
    for (const frame of frames) items.take(frame)
    return { output: items.items(), last: frames.at(-1)?.sequence_number ?? -1 }
  })

  return Effect.fnUntraced(function* (task: Task): Effect.fn.Return<CutShort | undefined, SqlError> {
    const found = yield* Effect.option(store.find(task, task.id, false))
    if (found._tag === "None") return undefined
    const { last, output } = yield* toldOf(task.id)
    const begun = found.value.response
    const { code, message } = task.error ?? { code: "server_error", message: "The response was given up" }
    const response: ResponseObject =
      task.state === "cancelled"
        ? cancelledResponse(begun, output)
        : { ...begun, status: "failed", error: { code, message, type: code, param: null }, output }
    const frames = endingOf(response).map((frame, index) => ({ ...frame, sequence_number: last + 1 + index }))
    return { response, output, frames }
  })
})
