import { Effect } from "effect"
import type { Files, FilesUnavailable } from "./Files.ts"

/** The same files; the beginning and the end of an outage are logged once. */
export const loggingOutages = (files: Files): Files => {
  let isAway = false
  const away = ({ message }: FilesUnavailable) =>
    Effect.suspend(() => {
      if (isAway) return Effect.void
      isAway = true
      return Effect.annotateLogs(Effect.logWarning(`the file storage is not available: ${message}`), {
        event: "files.away"
      })
    })
  const back = Effect.suspend(() => {
    if (!isAway) return Effect.void
    isAway = false
    return Effect.annotateLogs(Effect.logInfo("the file storage is available again"), { event: "files.back" })
  })
  const watch = <A, E extends { readonly _tag: string }>(call: Effect.Effect<A, E | FilesUnavailable>) =>
    call.pipe(
      Effect.tap(back),
      Effect.tapError((error) => (isUnavailable(error) ? away(error) : Effect.void))
    )
  return {
    place: files.place,
    isAway: () => isAway,
    find: (key) => watch(files.find(key)),
    write: (key, incoming) => watch(files.write(key, incoming)),
    remove: (key) => watch(files.remove(key)),
    older: (room, beforeMs) => watch(files.older(room, beforeMs))
  }
}

const isUnavailable = (error: { readonly _tag: string }): error is FilesUnavailable => error._tag === "FilesUnavailable"
