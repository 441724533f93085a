import { Effect, Option } from "effect"
import type { Files } from "./Files.ts"

/** Combines two storages: writes to the first, finds and removes in both. */
export const inBoth = (first: Files, other: Files): Files => ({
  place: first.place,
  isAway: first.isAway,
  write: first.write,
  find: (key) =>
    Effect.flatMap(
      first.find(key),
      Option.match({ onNone: () => other.find(key), onSome: (found) => Effect.succeedSome(found) })
    ),
  remove: (key) => Effect.zipRight(first.remove(key), other.remove(key)),
  older: (room, beforeMs) =>
    Effect.map(Effect.all([first.older(room, beforeMs), other.older(room, beforeMs)]), (keys) => [
      ...new Set(keys.flat())
    ])
})
