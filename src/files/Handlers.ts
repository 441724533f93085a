import { Effect } from "effect"
import { NotFound } from "../contract/failures/Failure.ts"
import { handlers } from "../contract/handlers.ts"
import { FilesApi } from "./Api.ts"
import { makeReadFile } from "./readFile.ts"

export const FilesHandlers = handlers(
  FilesApi,
  Effect.map(makeReadFile, (readFile) => ({
    read: ({ path, request }) =>
      Effect.flatten(readFile(path.clip, path.name, request.headers)).pipe(
        Effect.catchTag("NoSuchElementException", () => missing)
      )
  }))
)

const missing = new NotFound({ param: null, message: "No such file, or its link has expired" })
