import { Effect } from "effect"
import type { RateLimited } from "../contract/failures/Failure.ts"
import type { Incoming } from "../contract/handlers.ts"
import { Feed } from "../feed/Feed.ts"
import { AccessLog } from "../telemetry/AccessLog.ts"
import { LogTail } from "../telemetry/LogTail.ts"
import { lastOf, wantedBy } from "./LogLines.ts"
import type { LogQuery } from "./LogLines.ts"

/** The answering process's log: its newest lines, and a stream of new ones. */
export const makeLogs = Effect.gen(function* () {
  const { tail = new LogTail() } = yield* AccessLog
  const feed = yield* Feed

  const last = (query: LogQuery) => ({ object: "list" as const, data: lastOf(tail.lines(), query), next: null })

  const follow = (request: Incoming, query: LogQuery): Effect.Effect<Response, RateLimited> =>
    feed.attend(request, (send) => {
      const wanted = wantedBy(query)
      for (const line of lastOf(tail.lines(), query)) send(event(line))
      return tail.follow((lines) => {
        const text = lines
          .map(wanted)
          .map((line) => (line === undefined ? "" : event(line)))
          .join("")
        if (text !== "") send(text)
      })
    })

  return { last, follow } as const
})

const event = (line: unknown) => `event: line\ndata: ${JSON.stringify(line)}\n\n`
