import type { SqlError } from "@effect/sql/SqlError"
import { Effect, Option } from "effect"
import { Settings } from "../../config/Settings.ts"
import { Commits } from "../../sql/Commits.ts"
import type { Task } from "../../tasks/Task.ts"
import { makeWake } from "../../tasks/Wake.ts"
import { videoTask } from "../VideoTask.ts"
import { CustodyStore } from "./store/CustodyStore.ts"
import type { Part, Wanted } from "./store/CustodyStore.ts"

/** Copies of finished videos that upstreams only link to, if the operator enables custody. */
export class Custody extends Effect.Service<Custody>()("gateway/videos/custody/Custody", {
  dependencies: [CustodyStore.Default],
  effect: Effect.gen(function* () {
    const { custody: keep } = yield* Settings
    const store = yield* CustodyStore
    const commits = yield* Commits
    const due = makeWake()

    /** Runs in the transaction in which a task succeeds, so that the copy is as durable as the task's end. */
    const record = (task: Task): Effect.Effect<void, SqlError> =>
      Option.isNone(keep) || task.state !== "succeeded"
        ? Effect.void
        : Effect.zipRight(store.record(task.id, wantedOf(task)), commits.afterCommit(due.ring))

    return { record, due, keep } as const
  })
}) {}

const wantedOf = (task: Task): ReadonlyArray<Wanted> => {
  const { result } = videoTask(task)
  const links = [
    ["video", result?.videoUrl],
    ["last_frame", result?.lastFrameUrl]
  ] as const
  return links.flatMap(([part, source]) => (source === undefined ? [] : [{ part, source, name: nameOf(part, source) }]))
}

/** A file's name in its link: the part, with the extension of the upstream's file. */
const nameOf = (part: Part, source: string): string => {
  const [, extension = ""] = /\.([A-Za-z0-9]{3,4})$/.exec(URL.parse(source)?.pathname ?? "") ?? []
  const allowed: ReadonlyArray<string> = extensions[part]
  return `${part}.${allowed.find((one) => one === extension.toLowerCase()) ?? allowed[0]}`
}

const extensions = {
  video: ["mp4", "webm", "mov", "mkv", "avi"],
  last_frame: ["png", "jpg", "jpeg", "webp"]
} as const
