import { Effect, Option } from "effect"
import { Internal, NotFound } from "../contract/Failure.ts"
import { handlers } from "../contract/handlers.ts"
import { FilesApi } from "./Api.ts"
import { fileResponse } from "./fileResponse.ts"
import { FilesUnavailable } from "./Files.ts"
import type { StoredFile } from "./Files.ts"
import { FileSources } from "./FileSources.ts"

export const FilesHandlers = handlers(
  FilesApi,
  Effect.map(FileSources, (sources) => ({
    read: ({ path, request }) =>
      Effect.gen(function* () {
        const found = yield* Effect.reduce(sources, Option.none<StoredFile>(), (found, source) =>
          Option.isSome(found) ? Effect.succeed(found) : source.file(path.clip, path.name)
        )
        if (Option.isNone(found)) return yield* missing
        return yield* Effect.tryPromise({
          try: () => fileResponse(found.value, path.name, request.headers),
          catch: (cause) => new FilesUnavailable({ message: String(cause) })
        })
      }).pipe(
        Effect.catchTag("FilesUnavailable", ({ message }) =>
          Effect.zipRight(Effect.logWarning("a file can't be read", message), new Internal({}))
        )
      )
  }))
)

const missing = new NotFound({ param: null, message: "No such file, or its link has expired" })
