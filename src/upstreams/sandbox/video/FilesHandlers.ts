import { Effect, Option } from "effect"
import { Internal, NotFound } from "../../../contract/Failure.ts"
import { handlers } from "../../../contract/handlers.ts"
import { KeptFiles } from "../../KeptFiles.ts"
import { Clips } from "./Clips.ts"
import { FilesApi } from "./FilesApi.ts"
import { fileResponse } from "./fileResponse.ts"

export const FilesHandlers = handlers(
  FilesApi,
  Effect.map(Effect.all([Clips, KeptFiles]), ([clips, kept]) => ({
    read: ({ path, request }) =>
      clips.file(path.clip, path.name).pipe(
        Effect.flatMap(
          Option.match({
            onNone: () => kept.file(path.clip, path.name),
            onSome: (file) => Effect.succeedSome(file)
          })
        ),
        Effect.tapErrorCause(Effect.logWarning),
        Effect.mapError(() => new Internal({})),
        Effect.flatMap(
          Option.match({
            onNone: () => Effect.fail(new NotFound({ param: null, message: "No such file, or its link has expired" })),
            onSome: (file) => Effect.promise(() => fileResponse(file, request.headers))
          })
        )
      )
  }))
)
