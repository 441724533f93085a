import { Effect, Option } from "effect"
import { Internal } from "../contract/failures/Failure.ts"
import { fileResponse } from "./fileResponse.ts"
import { FilesUnavailable } from "./Files.ts"
import type { StoredFile } from "./Files.ts"
import { FileSources } from "./FileSources.ts"

/** Answers a request for a file that the gateway serves, by the parts of its link; none if there is no such file. */
export const makeReadFile = Effect.map(FileSources, (sources) =>
  Effect.fnUntraced(
    function* (id: string, name: string, headers: Headers) {
      const found = yield* Effect.reduce(sources, Option.none<StoredFile>(), (found, source) =>
        Option.isSome(found) ? Effect.succeed(found) : source.file(id, name)
      )
      if (Option.isNone(found)) return Option.none<Response>()
      const answer = yield* Effect.tryPromise({
        try: () => fileResponse(found.value, Bun.file(name).type, headers),
        catch: (cause) => new FilesUnavailable({ message: String(cause) })
      })
      return Option.some(answer)
    },
    Effect.catchTag("FilesUnavailable", ({ message }) =>
      Effect.zipRight(Effect.logWarning("a file can't be read", message), new Internal({}))
    )
  )
)
